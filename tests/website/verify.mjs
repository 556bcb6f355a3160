// Verifies files as the page does, without a browser: node verify.mjs SITE PAGE.js KEY.pub FILE...; one line of JSON for each.

import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [site, page, key, ...files] = process.argv.slice(2);
const theirs = /^\/\*\* Say whether the bytes are a key's[^]*?^(?=\/\*\* Check the packet)/m.exec(readFileSync(page, "utf-8"))[0];
const { verify } = await import(`data:text/javascript,${encodeURIComponent(`${theirs}\nexport { verify };`)}`);
const { loadPyodide } = await import(pathToFileURL(resolve(site, "pyodide.mjs")).href);
const python = await loadPyodide({ indexURL: `${resolve(site)}/` });
for (const archive of ["msgspec.zip", "judge.zip"]) python.unpackArchive(new Uint8Array(readFileSync(resolve(site, archive))).buffer, "zip", { extractDir: "/judge" });
python.runPython("import sys\nsys.path.insert(0, '/judge')\nimport in_browser");
const called = python.globals.get("in_browser");
for (const file of files) {
  const said = await verify(called, new Uint8Array(readFileSync(file)), readFileSync(key, "utf-8").trim(), basename(file));
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
