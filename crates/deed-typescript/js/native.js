// The one way out of the isolate: operations of the host, JSON in and JSON out.

import { base64ToBytes, bytesToBase64 } from "deed:bytes";

const KEY = Symbol.for("deed.native");
const native = globalThis[KEY];
delete globalThis[KEY];

const parse = (text) => (text === undefined || text === null || text === "" ? undefined : JSON.parse(text));

/** Runs an operation of the host at once. */
export function op(name, args = {}) {
  return parse(native.op(name, JSON.stringify(args)));
}

/** Runs an operation of the host; the promise settles when it is done. */
export async function opAsync(name, args = {}) {
  return parse(await native.opAsync(name, JSON.stringify(args)));
}

/** Tells the host's diagnostics; never throws. */
export function log(level, text) {
  native.log(level, text);
}

export const setTimer = (id, ms) => native.setTimer(id, ms);
export const clearTimer = (id) => native.clearTimer(id);

/** Loads a module of the host when it is first needed: what it exports. */
export const builtIn = (name) => native.builtIn(`deed:${name}`);

/** Makes functions of a module of the host that is loaded with the first call. */
export const builtInCalls = (name, ...functions) => functions.map((key) => (...args) => builtIn(name)[key](...args));

/** Returns what `require` of a specifier gives in a file. */
export const requireFrom = (specifier, file) => native.require(specifier, file);
/** Returns the path that a specifier means in a file. */
export const resolveFrom = (specifier, file) => native.resolve(specifier, file);
/** Puts the places of the extension's own files into a stack. */
export const mapStack = (stack) => native.mapStack?.(stack) ?? stack;

let lastId = 0;
/** Returns an id that no other operation of this isolate has. */
export function nextId(prefix) {
  lastId += 1;
  return `${prefix}${lastId}`;
}

/** Reads bytes that an operation gave as base64. */
export const fromBase64 = (text) => base64ToBytes(text ?? "");
/** Writes bytes for an operation. */
export const toBase64 = (bytes) => bytesToBase64(bytes);

let cachedInfo;
/** Returns what the host tells of itself; asked once. */
export function hostInfo() {
  cachedInfo ??= op("host.info") ?? {};
  return cachedInfo;
}
