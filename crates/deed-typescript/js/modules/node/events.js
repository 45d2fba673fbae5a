// node:events.

import { onAbort } from "deed:globals/events";
import { codedError, received } from "deed:errors";
import { builtIn } from "deed:native";

export * from "deed:modules/stubs/node/events";

const ERROR_MONITOR = Symbol("events.errorMonitor");
const CAPTURE = Symbol.for("nodejs.rejection");

function checkListener(listener) {
  if (typeof listener === "function") return;
  throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", `The "listener" argument must be of type function. ${received(listener)}`);
}

/** Works on objects whose constructor never ran, as old-style subclasses need it. */
function eventsOf(emitter) {
  if (!Object.hasOwn(emitter, "_events") || !emitter._events) {
    Object.defineProperty(emitter, "_events", { value: new Map(), writable: true, configurable: true, enumerable: false });
  }
  return emitter._events;
}

export class EventEmitter {
  constructor() {
    eventsOf(this);
  }

  on(name, listener) {
    return add(this, name, listener, listener, false);
  }
  addListener(name, listener) {
    return this.on(name, listener);
  }
  prependListener(name, listener) {
    return add(this, name, listener, listener, true);
  }
  once(name, listener) {
    checkListener(listener);
    return add(this, name, onceOf(this, name, listener), listener, false);
  }
  prependOnceListener(name, listener) {
    checkListener(listener);
    return add(this, name, onceOf(this, name, listener), listener, true);
  }
  off(name, listener) {
    checkListener(listener);
    const events = eventsOf(this);
    const list = events.get(name);
    if (!list) return this;
    const at = list.findLastIndex((entry) => entry === listener || entry.listener === listener);
    if (at < 0) return this;
    const left = list.toSpliced(at, 1);
    if (left.length === 0) events.delete(name);
    else events.set(name, left);
    if (events.has("removeListener")) this.emit("removeListener", name, listener);
    return this;
  }
  removeListener(name, listener) {
    return this.off(name, listener);
  }
  removeAllListeners(name) {
    const events = eventsOf(this);
    if (name === undefined) events.clear();
    else events.delete(name);
    return this;
  }
  emit(name, ...args) {
    const events = eventsOf(this);
    if (name === "error") {
      events.get(ERROR_MONITOR)?.forEach((listener) => listener.apply(this, args));
    }
    const list = events.get(name);
    if (!list) {
      if (name === "error") throw unhandled(args[0]);
      return false;
    }
    for (const listener of [...list]) listener.apply(this, args);
    return true;
  }
  listenerCount(name, listener) {
    const list = eventsOf(this).get(name) ?? [];
    return listener ? list.filter((entry) => entry === listener || entry.listener === listener).length : list.length;
  }
  listeners(name) {
    return (eventsOf(this).get(name) ?? []).map((entry) => entry.listener ?? entry);
  }
  rawListeners(name) {
    return [...(eventsOf(this).get(name) ?? [])];
  }
  eventNames() {
    return [...eventsOf(this).keys()];
  }
  setMaxListeners(count) {
    this._maxListeners = count;
    return this;
  }
  getMaxListeners() {
    return this._maxListeners ?? EventEmitter.defaultMaxListeners;
  }
}
EventEmitter.defaultMaxListeners = 10;

function add(emitter, name, listener, original, first) {
  checkListener(original);
  const events = eventsOf(emitter);
  if (events.has("newListener")) emitter.emit("newListener", name, original);
  const list = events.get(name) ?? [];
  events.set(name, first ? [listener, ...list] : [...list, listener]);
  emitter._listening?.(name);
  return emitter;
}

function onceOf(emitter, name, listener) {
  const wrapped = function (...args) {
    emitter.removeListener(name, wrapped);
    return listener.apply(this, args);
  };
  wrapped.listener = listener;
  return wrapped;
}

function unhandled(error) {
  if (error instanceof Error) return error;
  return codedError(Error, "ERR_UNHANDLED_ERROR", `Unhandled error. (${typeof error === "string" ? `'${error}'` : builtIn("inspect").inspect(error)})`, { context: error });
}

/** Waits for an event, of an emitter or of an event target. */
export function once(emitter, name, options = {}) {
  return new Promise((resolve, reject) => {
    const { signal } = options;
    const isTarget = typeof emitter.on !== "function";
    const listen = (event, listener) => (isTarget ? emitter.addEventListener(event, listener, { once: true }) : emitter.once(event, listener));
    const forget = (event, listener) => (isTarget ? emitter.removeEventListener(event, listener) : emitter.removeListener(event, listener));
    const done = (...args) => {
      forget("error", failed);
      stop();
      resolve(args);
    };
    const failed = (error) => {
      forget(name, done);
      stop();
      reject(error);
    };
    const stop = onAbort(signal, () => {
      forget(name, done);
      forget("error", failed);
      reject(abortOf(signal));
    });
    if (signal?.aborted) return;
    listen(name, done);
    if (name !== "error" && !isTarget) listen("error", failed);
  });
}

const abortOf = (signal) => codedError(Error, "ABORT_ERR", "The operation was aborted", { name: "AbortError", cause: signal.reason });

/** Iterates over the events of one name. */
export function on(emitter, name, options = {}) {
  const waiting = [];
  const come = [];
  let failure;
  let ended = false;
  const settle = () => {
    while (waiting.length > 0 && (come.length > 0 || failure || ended)) {
      const { resolve, reject } = waiting.shift();
      if (come.length > 0) resolve({ value: come.shift(), done: false });
      else if (failure) {
        reject(failure);
        failure = undefined;
        ended = true;
      } else resolve({ value: undefined, done: true });
    }
  };
  const take = (...args) => void (come.push(args), settle());
  const fail = (error) => void ((failure = error), settle());
  const end = () => {
    emitter.removeListener(name, take);
    emitter.removeListener("error", fail);
    ended = true;
    settle();
    return Promise.resolve({ value: undefined, done: true });
  };
  emitter.on(name, take);
  if (name !== "error") emitter.on("error", fail);
  for (const close of options.close ?? []) emitter.once(close, end);
  onAbort(options.signal, () => (fail(abortOf(options.signal)), end()));
  return {
    next: () => new Promise((resolve, reject) => (waiting.push({ resolve, reject }), settle())),
    return: end,
    throw: (error) => (fail(error), end()),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

export const getEventListeners = (emitter, name) => emitter.listeners?.(name) ?? [];
export const getMaxListeners = (emitter) => emitter.getMaxListeners?.() ?? EventEmitter.defaultMaxListeners;
export const setMaxListeners = (count, ...emitters) => emitters.forEach((emitter) => emitter.setMaxListeners?.(count));
export const listenerCount = (emitter, name) => emitter.listenerCount(name);
export const addAbortListener = (signal, listener) => ({ [Symbol.dispose]: onAbort(signal, listener) });
export const errorMonitor = ERROR_MONITOR;
export const captureRejectionSymbol = CAPTURE;
export const defaultMaxListeners = 10;
export class EventEmitterAsyncResource extends EventEmitter {}

Object.assign(EventEmitter, { EventEmitter, once, on, getEventListeners, getMaxListeners, setMaxListeners, listenerCount, addAbortListener, errorMonitor, captureRejectionSymbol, EventEmitterAsyncResource });
export default EventEmitter;
