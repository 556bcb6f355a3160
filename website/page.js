// Starts the judge, which is Python, in this browser, and mounts the felt. Every file comes from beside the page or from within it.

const state = document.getElementById("state");

/** The bytes of a file of the website: from within this page if it is there, else from beside it. */
async function bytes(name) {
  const inside = document.getElementById(name);
  if (!inside) {
    const answer = await fetch(new URL(name, location.href));
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return answer.arrayBuffer();
  }
  const packed = Uint8Array.from(atob(inside.textContent), (letter) => letter.charCodeAt(0));
  inside.remove();
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

const blob = (content, type) => URL.createObjectURL(new Blob([content], { type }));
const module = async (name) => import(blob(await bytes(name), "text/javascript"));

/** Say whether the bytes are a key's Ed25519 signature of a message; all three in Base64. */
async function isSignature([key, signature, message]) {
  const [rawKey, rawSignature, rawMessage] = [key, signature, message].map((part) => Uint8Array.from(atob(part), (letter) => letter.charCodeAt(0)));
  const imported = await crypto.subtle.importKey("raw", rawKey, { name: "Ed25519" }, false, ["verify"]);
  return crypto.subtle.verify({ name: "Ed25519" }, imported, rawSignature, rawMessage);
}

/** Check a file with a public key: again and again until no signature is open. */
async function verify(called, data, key, name) {
  for (;;) {
    const said = JSON.parse(called.verify(data, key, name));
    if (!said.asked.length) return said;
    for (const question of said.asked) called.answered.callKwargs(question, { is_valid: await isSignature(question) });
  }
}

/** Check the packet, proof or report that was chosen or dropped, once the key was, too. */
function offerVerification(called) {
  const [packet, key, result] = ["packet", "key", "result"].map((id) => document.getElementById(id));
  async function check() {
    if (!packet.files.length || !key.files.length) return;
    result.className = "";
    result.textContent = "Checking …";
    try {
      const said = await verify(called, new Uint8Array(await packet.files[0].arrayBuffer()), (await key.files[0].text()).trim(), packet.files[0].name);
      result.className = said.ok ? "right" : "wrong";
      result.replaceChildren(...[said.ok ? "✔ Verified" : "▼ Not verified", ...said.lines].map((line) => Object.assign(document.createElement("p"), { textContent: line })));
    } catch (error) {
      result.className = "wrong";
      result.textContent = `This browser cannot check the signature (${error.message}). A current browser has Ed25519, on https or from a file.`;
    }
  }
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    for (const file of event.dataTransfer.files) {
      const one = new DataTransfer();
      one.items.add(file);
      (file.name.endsWith(".pub") ? key : packet).files = one.files;
    }
    check();
  });
  packet.addEventListener("change", check);
  key.addEventListener("change", check);
  document.getElementById("verify").hidden = false;
}

async function start() {
  const [felt, { loadPyodide }, { default: createPyodideModule }, wasm, library, lock, msgspec, judge] = await Promise.all([
    module("felt.js"), module("pyodide.mjs"), module("pyodide.asm.mjs"), ...["pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json", "msgspec.zip", "judge.zip"].map(bytes)]);
  const fetched = window.fetch;
  window.fetch = (address, ...more) => (String(address).endsWith("pyodide.asm.wasm")
    ? Promise.resolve(new Response(wasm, { headers: { "Content-Type": "application/wasm" } })) : fetched(address, ...more));
  const python = await loadPyodide({ indexURL: "https://discard-rack.invalid/", createPyodideModule, stdLibURL: blob(library, "application/zip"),
    lockFileContents: new TextDecoder().decode(lock), packageBaseUrl: "https://discard-rack.invalid/" });
  window.fetch = fetched;
  for (const archive of [msgspec, judge]) python.unpackArchive(archive, "zip", { extractDir: "/judge" });
  python.runPython("import sys\nsys.path.insert(0, '/judge')\nimport in_browser");
  const called = python.globals.get("in_browser");
  const forms = JSON.parse(called.forms());
  const shown = felt.mount(document.getElementById("felt"), { forms, draft: "discard-rack-round",
    onText: (text) => setTimeout(() => shown.answer({ of: text, ...JSON.parse(called.answer(text)) })) });
  window.answer = (text) => JSON.parse(called.answer(text));
  offerVerification(called);
  document.getElementById("judge").textContent = called.judge();
  state.textContent = "";
}

start().catch((error) => {
  state.textContent = `The judge could not be started in this browser: ${error.message}. A current browser with WebAssembly is needed.`;
  throw error;
});
