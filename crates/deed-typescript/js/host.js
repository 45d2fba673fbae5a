// What the host calls. Everything goes in and out as JSON text.

import "deed:globals";
import { isStub, messageOf, stackOf } from "deed:errors";
import { dropTimers, fire } from "deed:globals/timers";
import { pi } from "deed:host/api";
import { receive } from "deed:host/bus";
import { commandContext, eventContext } from "deed:host/context";
import { dispatchEvent } from "deed:host/dispatch";
import { runOperation } from "deed:host/operations";
import { abort, commands, endings, flags, invalidate, setLive, shortcuts, within } from "deed:host/state";
import { prepareArguments, runTool } from "deed:host/tools";
import { op } from "deed:native";

const write = (value) => (value === undefined ? undefined : JSON.stringify(value));
const read = (value) => (typeof value === "string" ? JSON.parse(value) : value);

/** Finds the factory in what a module exports by default. */
function factoryOf(exported) {
  if (typeof exported === "function") return exported;
  if (typeof exported?.default === "function") return exported.default;
  const found = exported === undefined ? "it has no default export" : `its default export is ${exported === null ? "null" : `of type ${typeof exported}`}`;
  throw new TypeError(`an extension must export a function by default: export default function (pi) { … }; ${found}`);
}

/** Errors of listeners and timers have nobody to throw at. */
function reported(event, work) {
  const failed = (error) => op("report.error", { event, error: messageOf(error), stack: stackOf(error) });
  try {
    Promise.resolve(work()).catch(failed);
  } catch (error) {
    failed(error);
  }
}

async function runCommand(name, args, scope) {
  const command = commands.get(name);
  if (!command) throw new Error(`this extension has no command '${name}'`);
  const dispatch = { scope };
  await within(dispatch, () => command.handler(args ?? "", commandContext(dispatch)));
}

async function runShortcut(key, scope) {
  const shortcut = shortcuts.get(key);
  if (!shortcut) throw new Error(`this extension has no shortcut '${key}'`);
  const dispatch = { scope };
  await within(dispatch, () => shortcut.handler(eventContext(dispatch)));
}

function dispose() {
  invalidate("the extension was ended");
  for (const end of endings) reported("exit", end);
  dropTimers();
}

export default {
  async load(factory) {
    await factoryOf(factory)(pi);
  },
  async event(name, json, scope) {
    return write(await dispatchEvent(name, read(json), scope));
  },
  tool: (name, callId, args, scope) => runTool(name, callId, read(args), scope),
  prepareArguments: (name, args) => JSON.stringify(prepareArguments(name, read(args))),
  abort: (id, reason) => abort(id, reason),
  command: runCommand,
  shortcut: runShortcut,
  async completions(name, prefix) {
    return write((await commands.get(name)?.getArgumentCompletions?.(prefix)) ?? undefined);
  },
  flagValues(json) {
    for (const [name, value] of Object.entries(read(json))) flags.set(name, { ...flags.get(name), value });
  },
  timer: (id) => reported("timer", () => fire(id)),
  ctx: (json) => setLive(read(json)),
  /** Components are loaded when the first is drawn. The host is told of what draws, in case that never ends. */
  async render(kind, name, json) {
    const { render } = await import("deed:host/render");
    op("render.begin", { kind, name });
    try {
      return write(render(kind, name, read(json)));
    } finally {
      op("render.end");
    }
  },
  async operation(handle, method, json) {
    return write((await runOperation(handle, method, read(json))) ?? null);
  },
  bus: (channel, json) => receive(channel, read(json)),
  invalidate,
  dispose,
  /** Tells what of Pi and of node is supported. */
  async support(json) {
    const { describe } = await import("deed:host/support");
    return write(await describe(read(json)));
  },
  /** Names what a namespace exports only to say that it is not supported. */
  unsupportedNames: (namespace) => JSON.stringify(Object.keys(namespace).filter((name) => isStub(namespace[name]))),
};
