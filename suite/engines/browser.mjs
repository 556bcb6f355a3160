// The judge of the website, which is Python in WebAssembly, as an engine of the suite: node suite/engines/browser.mjs build/website

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const site = resolve(process.argv[2] ?? "build/website");
const { loadPyodide } = await import(pathToFileURL(`${site}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: `${site}/` });
for (const archive of ["msgspec.zip", "judge.zip"]) python.unpackArchive(new Uint8Array(readFileSync(`${site}/${archive}`)).buffer, "zip", { extractDir: "/judge" });
python.FS.writeFile("/judge/engine_of_suite.py", readFileSync(new URL("../engine.py", import.meta.url)));
python.runPython("import json, sys\nsys.path.insert(0, '/judge')\nimport engine_of_suite\nfrom replay.installed_games import add_installed_games\nadd_installed_games()");
const answer = python.runPython("lambda line: json.dumps(engine_of_suite.answer(json.loads(line)), ensure_ascii=False)");
for await (const line of createInterface({ input: process.stdin })) process.stdout.write(`${answer(line)}\n`);
