// Makes `members.json`: the members that Pi's objects have for extensions, and the events that it
// tells of. Names only are taken, from the declarations of the package.
//
//     node make-members.mjs FOLDER
//
// FOLDER is a `node_modules` with @earendil-works/pi-coding-agent in it.

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [folder] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node make-members.mjs NODE_MODULES");
  process.exit(2);
}

const core = join(resolve(folder), "@earendil-works/pi-coding-agent/dist/core");
const read = (file) => readFileSync(join(core, file), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
const types = read("extensions/types.d.ts");

/** Returns what stands in the braces of a declaration. */
function bodyOf(text, head) {
  const start = text.indexOf("{", text.search(new RegExp(`\\b(?:interface|class) ${head}\\b`)));
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}" && (depth -= 1) === 0) return text.slice(start + 1, at);
  }
  throw new Error(`no declaration of ${head}`);
}

/** Names of members: those that begin a line of the body itself. */
function membersOf(text, head) {
  const names = new Set();
  for (const [, name] of bodyOf(text, head).matchAll(/^ {4}(?:readonly )?([A-Za-z_$][\w$]*)\??[(<:]/gm)) names.add(name);
  names.delete("constructor");
  return [...names];
}

const session = /ReadonlySessionManager = Pick<SessionManager, ([^>]+)>/.exec(read("session-manager.d.ts"))[1];
const events = [...bodyOf(types, "ExtensionAPI").matchAll(/\bon\(event: "(\w+)"/g)].map(([, name]) => name);

const members = {
  pi: membersOf(types, "ExtensionAPI"),
  "pi.events": membersOf(read("event-bus.d.ts"), "EventBus"),
  ctx: membersOf(types, "ExtensionContext"),
  "ctx of a tool": membersOf(types, "ExtensionToolContext"),
  "ctx of a command": membersOf(types, "ExtensionCommandContext"),
  "ctx.ui": membersOf(types, "ExtensionUIContext"),
  "ctx.sessionManager": [...session.matchAll(/"(\w+)"/g)].map(([, name]) => name),
  "ctx.modelRegistry": membersOf(read("model-registry.d.ts"), "ModelRegistry"),
  "a tool's definition": membersOf(types, "ToolDefinition"),
  events: [...new Set(events)],
};
writeFileSync(join(here, "members.json"), `${JSON.stringify(members, null, 1)}\n`);
