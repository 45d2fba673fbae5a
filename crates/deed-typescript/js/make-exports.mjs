// Makes `exports.json`, `modules.json` and `modules/stubs/`: every name that the real packages and
// node's modules export, and a throwing stand-in for each that has no implementation here.
//
//     node make-exports.mjs FOLDER
//
// FOLDER is a `node_modules` with @earendil-works/pi-coding-agent in it. Names only are taken.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [folder] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node make-exports.mjs NODE_MODULES");
  process.exit(2);
}

/** Specifier as extensions write it: name of the file under modules/. */
const PACKAGES = {
  "@earendil-works/pi-coding-agent": "pi-coding-agent",
  "@earendil-works/pi-agent-core": "pi-agent-core",
  "@earendil-works/pi-ai": "pi-ai",
  "@earendil-works/pi-ai/models": "pi-ai-models",
  "@earendil-works/pi-ai/oauth": "pi-ai-oauth",
  "@earendil-works/pi-ai/providers/all": "pi-ai-providers-all",
  "@earendil-works/pi-tui": "pi-tui",
  typebox: "typebox",
  "typebox/compile": "typebox-compile",
  "typebox/value": "typebox-value",
};
/** Other names of the same modules. */
const ALIASES = [
  ["@earendil-works/pi-ai/compat", "pi-ai"],
  ["deed/sql", "deed-sql"],
];

const { supportedModules, stubbedModules } = await import(pathToFileURL(join(here, "builtins.js")));
const virtual = join(resolve(folder), "@earendil-works/pi-coding-agent/dist/core/extensions/virtual-modules.js");
const { VIRTUAL_MODULES } = await import(pathToFileURL(virtual));

const namesOf = (namespace) => Object.keys(namespace).filter((name) => name !== "default" && /^[A-Za-z_$][\w$]*$/.test(name)).sort();

/** Names that a file of ours exports, read off its text. */
function ownNames(file, seen = new Set()) {
  const path = join(here, file);
  if (seen.has(file) || !existsSync(path)) return new Set();
  seen.add(file);
  const text = readFileSync(path, "utf8");
  const names = new Set();
  for (const [, name] of text.matchAll(/^export (?:async )?(?:function\*?|class|const|let) ([A-Za-z_$][\w$]*)/gm)) names.add(name);
  for (const [, list] of text.matchAll(/^export (?:const )?\{([^}]*)\}/gm)) {
    for (const item of list.split(",")) {
      const name = item.trim().split(/\s+as\s+|\s*:\s*/).at(-1);
      if (name) names.add(name);
    }
  }
  for (const [, from] of text.matchAll(/^export \* from "deed:([^"]+)"/gm)) {
    const node = /^modules\/node\/(.*)$/.exec(from)?.[1];
    if (node) for (const name of namesOf(process.getBuiltinModule(node))) names.add(name);
    else if (!from.startsWith("modules/stubs/")) for (const name of ownNames(`${from}.js`, seen)) names.add(name);
  }
  return names;
}

function writeStub(name, label, missing, withDefault) {
  const file = join(here, "modules/stubs", `${name}.js`);
  mkdirSync(dirname(file), { recursive: true });
  const rest = withDefault ? [`export default { ${missing.join(", ")} };`] : [];
  const body = missing.length === 0 ? ["export {};"] : ['import { stubs } from "deed:errors";', "", `export const [${missing.join(", ")}] = stubs("${label}", "${missing.join(" ")}");`, ...rest];
  writeFileSync(file, `// Made by make-exports.mjs: names of '${label}' that have no implementation.\n\n${body.join("\n")}\n`);
}

rmSync(join(here, "modules/stubs"), { recursive: true, force: true });
const exported = {};
const modules = {};
for (const [specifier, name] of Object.entries(PACKAGES)) {
  exported[specifier] = namesOf(VIRTUAL_MODULES[specifier]);
  const own = ownNames(`modules/${name}.js`);
  writeStub(name, specifier, exported[specifier].filter((item) => !own.has(item)), false);
  modules[specifier] = `modules/${name}.js`;
}
for (const name of [...supportedModules, ...stubbedModules]) {
  const label = `node:${name}`;
  exported[label] = namesOf(await import(label));
  const isStub = stubbedModules.includes(name);
  const own = isStub ? new Set() : ownNames(`modules/node/${name}.js`);
  writeStub(`node/${name}`, label, exported[label].filter((item) => !own.has(item)), isStub);
  modules[label] = modules[name] = isStub ? `modules/stubs/node/${name}.js` : `modules/node/${name}.js`;
}
for (const [specifier, name] of ALIASES) modules[specifier] = `modules/${name}.js`;
for (const [specifier, file] of Object.entries(modules)) {
  if (specifier.startsWith("@earendil-works/")) modules[specifier.replace("@earendil-works/", "@mariozechner/")] = file;
  if (specifier.startsWith("typebox")) modules[`@sinclair/${specifier}`] = file;
}

const sorted = (object) => Object.fromEntries(Object.keys(object).sort().map((key) => [key, object[key]]));
writeFileSync(join(here, "exports.json"), `${JSON.stringify(sorted(exported), null, 1)}\n`);
writeFileSync(join(here, "modules.json"), `${JSON.stringify(sorted(modules), null, 2)}\n`);
