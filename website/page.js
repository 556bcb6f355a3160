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
  python.runPython("import sys\nsys.path.insert(0, '/judge')\nimport json\nfrom replay.installed_games import add_installed_games\nadd_installed_games()\nfrom replay.transcript import entry");
  const answer = python.runPython("lambda text: json.dumps(entry.answer(text))");
  const forms = JSON.parse(python.runPython("json.dumps(entry.forms())"));
  const shown = felt.mount(document.getElementById("felt"), { forms, draft: "discard-rack-round",
    onText: (text) => setTimeout(() => shown.answer({ of: text, ...JSON.parse(answer(text)) })) });
  window.answer = (text) => JSON.parse(answer(text));
  state.textContent = "";
}

start().catch((error) => {
  state.textContent = `The judge could not be started in this browser: ${error.message}. A current browser with WebAssembly is needed.`;
  throw error;
});
