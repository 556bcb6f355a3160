"use strict";
// A passkey is asked for, or made, by the browser; the code of an invitation comes after `#`, which no server and no log sees.
const said = document.getElementById("said");
const say = (words) => { said.textContent = words; };
const field = document.querySelector("input[name=code]");
if (field && location.hash.length > 1) {
  field.value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
}

async function ask(body) {
  const answer = await fetch("/sign-in/passkey" + location.search, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.refused || "This did not work. Try again.");
  return told;
}

const button = document.getElementById("passkey");
if (button && !(window.PublicKeyCredential && PublicKeyCredential.parseRequestOptionsFromJSON)) {
  button.hidden = true;
  document.getElementById("no-passkey").hidden = false;
}
button?.addEventListener("click", async () => {
  const code = button.dataset.code;
  say("");
  try {
    const begun = await ask(code ? { code } : {});
    const credential = code
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(begun.options) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(begun.options) });
    const done = await ask({ code, request: begun.request, credential: credential.toJSON() });
    location.assign(done.to);
  } catch (error) {
    say(error.name === "NotAllowedError" ? "The passkey was not used: it was cancelled, or there is none here." : error.message);
  }
});
