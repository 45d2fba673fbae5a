// The host's own tools as extensions make them: createReadTool and its sisters, with operations of
// the extension that the host calls back.

import { messageOf } from "deed:errors";
import { AbortController, onAbort } from "deed:globals/events";
import { assertFresh } from "deed:host/state";
import { fromBase64, nextId, op, opAsync, toBase64 } from "deed:native";

/** Marks a definition as one of the host's tools. */
export const BUILTIN = Symbol("deed.builtin");

const DESCRIPTIONS = new Map();
function describe(tool, cwd) {
  if (!DESCRIPTIONS.has(tool)) DESCRIPTIONS.set(tool, op("tools.builtin.describe", { tool, cwd }));
  return DESCRIPTIONS.get(tool);
}

const isBytes = (value) => ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
const asBytes = (value) => (value instanceof ArrayBuffer ? new Uint8Array(value) : value);

/** Writes what an operation gave for the host: bytes as base64, all else as JSON. */
export function toHost(value) {
  if (isBytes(value)) return { base64: toBase64(asBytes(value)) };
  return value === undefined ? null : value;
}

/** Runs one operation with arguments from the host. `send` takes output, piece by piece. */
export async function callOperation(operations, method, args, signal, send) {
  if (method === "exec") {
    const [command, cwd, options = {}] = args;
    return operations.exec(command, cwd, { ...options, signal, onData: (data) => send(globalThis.Buffer.from(data)) });
  }
  if (method === "createReadStream") {
    for await (const chunk of operations.createReadStream(args[0], { signal })) {
      if (signal?.aborted) break;
      send(globalThis.Buffer.from(chunk));
    }
    return null;
  }
  if (method === "stat") return Boolean((await operations.stat(args[0])).isDirectory());
  if (method === "exists" || method === "isDirectory") return Boolean(await operations[method](args[0]));
  return toHost(await operations[method](...args.map(fromHost)));
}

const fromHost = (value) => (value !== null && typeof value === "object" && typeof value.base64 === "string" ? globalThis.Buffer.view(fromBase64(value.base64)) : value);

/** Names the functions of an object, those of its class included. */
function methodsOf(operations) {
  const names = new Set();
  for (let object = operations; object && object !== Object.prototype; object = Object.getPrototypeOf(object)) {
    for (const name of Object.getOwnPropertyNames(object)) if (name !== "constructor" && typeof operations[name] === "function") names.add(name);
  }
  return [...names];
}

async function answer(run, operations, event, open, signal) {
  const { id, method, args } = event;
  const controller = new AbortController();
  const stop = onAbort(signal, (reason) => controller.abort(reason));
  open.set(id, controller);
  try {
    const result = await callOperation(operations, method, args, controller.signal, (bytes) => op("tools.builtin.data", { run, id, base64: toBase64(bytes) }));
    op("tools.builtin.answer", { run, id, result: result ?? null });
  } catch (error) {
    op("tools.builtin.answer", { run, id, error: { message: messageOf(error), code: error?.code } });
  } finally {
    stop();
    open.delete(id);
  }
}

/** The functions among the options, by the name that the host calls them by. */
function callbacksOf({ operations, spawnHook }) {
  const callbacks = Object.fromEntries(methodsOf(operations).map((name) => [name, (...given) => operations[name](...given)]));
  return spawnHook ? { ...callbacks, spawnHook } : callbacks;
}

async function run(tool, cwd, options, callId, args, signal, onUpdate) {
  assertFresh();
  signal?.throwIfAborted();
  const id = nextId("run");
  const callbacks = callbacksOf(options);
  const { operations, spawnHook, ...plain } = options;
  op("tools.builtin.start", { run: id, tool, cwd, callId, args, options: plain, operations: Object.keys(callbacks) });
  const stop = onAbort(signal, () => op("tools.builtin.cancel", { run: id }));
  const open = new Map();
  try {
    for (;;) {
      const event = await opAsync("tools.builtin.next", { run: id });
      if (event.type === "done") return event.result;
      if (event.type === "error") throw Object.assign(new Error(event.message), { code: event.code });
      if (event.type === "update") onUpdate?.(event.partial);
      else if (event.type === "abort") open.get(event.id)?.abort();
      else answer(id, callbacks, event, open, signal);
    }
  } finally {
    stop();
    for (const controller of open.values()) controller.abort();
  }
}

/** Makes the definition of a built-in tool that works in a folder. */
export function createToolDefinition(tool, cwd, options = {}) {
  const execute = (callId, args, signal, onUpdate) => run(tool, cwd, options ?? {}, callId, args, signal, onUpdate);
  const { operations, spawnHook, ...plain } = options ?? {};
  const marker = { tool, cwd, options: plain, execute, hasCallbacks: Boolean(operations || spawnHook) };
  const prepareArguments = (args) => op("tools.builtin.prepare", { tool, args });
  const definition = { ...describe(tool, cwd), prepareArguments, execute };
  return Object.defineProperty(definition, BUILTIN, { value: marker, enumerable: true });
}
