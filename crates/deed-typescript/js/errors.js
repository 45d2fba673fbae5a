// What is not supported says so, by name, at the moment it is used.

import { hostInfo, mapStack } from "deed:native";

/** Something of Pi or of node that this host does not have. */
export class UnsupportedError extends Error {
  constructor(what) {
    const { version } = hostInfo();
    super(`${what} isn't supported by this host${version ? ` (deed ${version})` : ""}`);
    this.name = "UnsupportedError";
    this.code = "ERR_UNSUPPORTED";
  }
}

const STUB = Symbol("deed.stub");

/** Makes a value for an export that has no implementation: calling or constructing it throws. */
export function stub(packageName, name) {
  const what = `'${name}' from '${packageName}'`;
  const fail = function () {
    throw new UnsupportedError(what);
  };
  Object.defineProperty(fail, "name", { value: name });
  Object.defineProperty(fail, STUB, { value: what });
  return fail;
}

/** Makes stubs of names in one text. */
export const stubs = (packageName, names) => names.split(" ").map((name) => stub(packageName, name));

/** Tells whether a value is a stub. */
export const isStub = (value) => typeof value === "function" && Object.hasOwn(value, STUB);

const MARK = Symbol("deed.support");
const mark = (member, state, note) => Object.defineProperty(member, MARK, { value: { state, note } });

/** Makes a function that throws, for a member that is known and not supported. */
export const unsupported = (what) =>
  refused(undefined, function () {
    throw new UnsupportedError(what);
  });

/** Notes that a member refuses to do what it is for, and with a note when it does not. */
export const refused = (note, member) => mark(member, "refused", note);

/** Notes beside a member what of it is missing; the documentation is made of these notes. */
export const partly = (note, member) => mark(member, "part", note);

/** Tells what is noted beside a value: `{state, note?}`; nothing of what is whole. */
export const supportOf = (value) => {
  if (isStub(value)) return { state: "refused" };
  const canHold = typeof value === "function" || (typeof value === "object" && value !== null);
  return canHold ? value[MARK] : undefined;
};

/** Names that engines, libraries and `await` look for on any object. */
const LOOKED_FOR = new Set(["then", "toJSON", "constructor", "prototype", "valueOf", "toString", "inspect", "nodeType", "asymmetricMatch", "$$typeof", "__esModule", "default", "length", "name"]);

/**
 * Wraps an object so that reading a member that it lacks throws and names it. `before` runs ahead
 * of every access, to refuse objects whose time is over.
 */
export function guarded(target, label, before = () => {}) {
  return new Proxy(target, {
    get(object, key, receiver) {
      if (typeof key === "symbol" || Reflect.has(object, key)) {
        if (typeof key !== "symbol" && !LOOKED_FOR.has(key)) before(key);
        return Reflect.get(object, key, receiver);
      }
      if (LOOKED_FOR.has(key)) return undefined;
      throw new UnsupportedError(`'${label}.${key}'`);
    },
  });
}

/** As `guarded`, of an object that is made with the first look at it. */
export function guardedLater(make, label, before) {
  let made;
  const get = () => (made ??= guarded(make(), label, before));
  return new Proxy(
    {},
    {
      get: (_, key) => Reflect.get(get(), key),
      has: (_, key) => Reflect.has(get(), key),
      set: (_, key, value) => Reflect.set(get(), key, value),
      ownKeys: () => Reflect.ownKeys(get()),
      getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(get(), key),
      defineProperty: (_, key, descriptor) => Reflect.defineProperty(get(), key, descriptor),
      deleteProperty: (_, key) => Reflect.deleteProperty(get(), key),
    },
  );
}

/** Returns the message of anything that can be thrown. */
export function messageOf(thrown) {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  if (thrown && typeof thrown === "object" && typeof thrown.message === "string") return thrown.message;
  try {
    return String(thrown);
  } catch {
    return "something that has no text was thrown";
  }
}

/**
 * Returns a stack in the form that V8 gives it, the name and message on the first line, with places
 * in the extension's own files.
 */
export function stackOf(thrown) {
  if (!(thrown instanceof Error) || typeof thrown.stack !== "string") return undefined;
  const head = `${thrown.name}: ${thrown.message}`;
  const frames = mapStack(thrown.stack);
  return frames.startsWith(head) ? frames : `${head}\n${frames}`;
}

/** Makes an error with a code, as node's modules throw them. */
export function codedError(Kind, code, message, fields = {}) {
  const error = new Kind(message);
  error.code = code;
  return Object.assign(error, fields);
}

/** Says what was given where something else was wanted, as node says it. */
export function received(value) {
  if (value === null || value === undefined) return `Received ${value}`;
  if (typeof value === "function") return `Received function ${value.name}`;
  if (typeof value === "object") return value.constructor?.name ? `Received an instance of ${value.constructor.name}` : "Received [Object: null prototype] {}";
  const text = typeof value === "string" ? `'${value.length > 28 ? `${value.slice(0, 25)}...` : value}'` : typeof value === "bigint" ? `${value}n` : String(value);
  return `Received type ${typeof value} (${text})`;
}
