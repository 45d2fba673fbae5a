// What of Pi and of node is supported, read off the objects themselves: nothing here lists what works.

import { supportOf } from "deed:errors";
import { pi } from "deed:host/api";
import { commandContext, NOTES as contextNotes, toolContext } from "deed:host/context";
import { NOTES as eventNotes } from "deed:host/dispatch";
import { FIELD_NOTES, FIELDS } from "deed:host/tools";

/** How functions name operations of the host in their text, themselves or through what they call. */
const OPERATIONS = [
  [/\bop(?:Async)?\("([\w.]+)"/g, (name) => name],
  [/\bshow\("(\w+)"/g, (name) => `ui.${name}`],
  [/\bask\(dispatch, "(\w+)"/g, (name) => `ui.${name}`],
  [/\breplace\("(\w+)"/g, (name) => `session.${name}`],
  [/\brunNested\(/g, () => "tools.execute"],
  [/\bcompleteBy\(/g, () => "model.complete"],
  [/\blist\(\)/g, () => "model.list"],
  [/\bavailable\(\)/g, () => "model.list"],
  [/\bMETHODS\.findOfType\(/g, () => "model.list"],
  [/\b(?:tree|projection)\(\)/g, () => "session.entries"],
  [/\binfo\(\)/g, () => "session.info"],
];

function operationsOf(...functions) {
  const names = new Set();
  for (const text of functions.filter((value) => typeof value === "function").map(String)) {
    for (const [pattern, nameOf] of OPERATIONS) for (const [, found] of text.matchAll(pattern)) names.add(nameOf(found));
  }
  return [...names];
}

function describeMember({ value, get }, note) {
  const own = supportOf(value) ?? (note === undefined ? { state: "whole" } : { state: "part", note });
  return { ...own, operations: operationsOf(value, get) };
}

/** Describes the members that an object has itself; a getter is not asked. */
function describeObject(object, notes = {}) {
  const members = Object.entries(Object.getOwnPropertyDescriptors(object));
  return Object.fromEntries(members.map(([name, member]) => [name, describeMember(member, notes[name])]));
}

const valueOf = (object, name) => Object.getOwnPropertyDescriptor(object, name).value;

function less(object, other) {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !Object.hasOwn(other, name)));
}

function describeObjects() {
  const ofCommand = commandContext({});
  const ofTool = toolContext({}, "support");
  const command = describeObject(ofCommand, contextNotes);
  const tool = describeObject(ofTool, contextNotes);
  const field = (name) => ({ state: FIELD_NOTES[name] === undefined ? "whole" : "part", note: FIELD_NOTES[name], operations: [] });
  return {
    pi: describeObject(pi),
    "pi.events": describeObject(valueOf(pi, "events")),
    ctx: less(command, less(command, tool)),
    "ctx of a tool": less(tool, command),
    "ctx of a command": less(command, tool),
    "ctx.ui": describeObject(ofCommand.ui),
    "ctx.sessionManager": describeObject(ofCommand.sessionManager),
    "ctx.modelRegistry": describeObject(ofCommand.modelRegistry),
    "a tool's definition": Object.fromEntries(FIELDS.map((name) => [name, field(name)])),
  };
}

async function describeModule(identity) {
  const namespace = await import(identity);
  const names = Object.keys(namespace).filter((name) => name !== "default");
  return Object.fromEntries(names.map((name) => [name, describeMember({ value: namespace[name] })]));
}

/** Describes the objects that extensions get, and modules: `{specifier: identity}`. */
export async function describe(modules) {
  const described = {};
  // One after the other: a module that is being evaluated may load others on its way.
  for (const [specifier, identity] of Object.entries(modules)) described[specifier] = await describeModule(identity);
  return { objects: describeObjects(), eventNotes, modules: described };
}
