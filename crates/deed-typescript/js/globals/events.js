// Event, EventTarget, AbortController and AbortSignal.

import { log } from "deed:native";
import { setTimeout } from "deed:globals/timers";

export class Event {
  #type;
  #options;
  #stopped = false;
  #prevented = false;
  target = null;
  currentTarget = null;
  constructor(type, options = {}) {
    this.#type = String(type);
    this.#options = options ?? {};
    Object.defineProperty(this, "timeStamp", { value: performance.now() });
  }
  get type() {
    return this.#type;
  }
  get bubbles() {
    return Boolean(this.#options.bubbles);
  }
  get cancelable() {
    return Boolean(this.#options.cancelable);
  }
  get composed() {
    return Boolean(this.#options.composed);
  }
  get defaultPrevented() {
    return this.#prevented;
  }
  preventDefault() {
    if (this.cancelable) this.#prevented = true;
  }
  stopPropagation() {}
  stopImmediatePropagation() {
    this.#stopped = true;
  }
  get stopped() {
    return this.#stopped;
  }
}

export class CustomEvent extends Event {
  #detail;
  constructor(type, options = {}) {
    super(type, options);
    this.#detail = options?.detail ?? null;
  }
  get detail() {
    return this.#detail;
  }
}

export class EventTarget {
  #listeners = new Map();

  addEventListener(type, listener, options) {
    if (listener === null || listener === undefined) return;
    const { once = false, signal } = typeof options === "object" && options !== null ? options : {};
    if (signal?.aborted) return;
    const list = this.#listeners.get(type) ?? [];
    if (list.some((entry) => entry.listener === listener)) return;
    list.push({ listener, once });
    this.#listeners.set(type, list);
    signal?.addEventListener("abort", () => this.removeEventListener(type, listener), { once: true });
  }

  removeEventListener(type, listener) {
    const list = this.#listeners.get(type);
    if (list) this.#listeners.set(type, list.filter((entry) => entry.listener !== listener));
  }

  dispatchEvent(event) {
    event.target ??= this;
    event.currentTarget = this;
    const handler = this[`on${event.type}`];
    const list = [...(this.#listeners.get(event.type) ?? [])];
    if (typeof handler === "function") list.unshift({ listener: handler, once: false });
    for (const { listener, once } of list) {
      if (event.stopped) break;
      if (once) this.removeEventListener(event.type, listener);
      try {
        if (typeof listener === "function") listener.call(this, event);
        else listener.handleEvent(event);
      } catch (error) {
        log("error", `a listener of '${event.type}' failed: ${error?.stack ?? error}`);
      }
    }
    event.currentTarget = null;
    return !event.defaultPrevented;
  }
}

const KEY = Symbol("signal");
let fire;

/** Makes the reason of an abort that gave none. */
export const abortError = (message = "This operation was aborted") => new DOMException(message, "AbortError");

export class AbortSignal extends EventTarget {
  #aborted = false;
  #reason;
  onabort = null;

  static {
    fire = (signal, reason) => {
      if (signal.#aborted) return;
      signal.#aborted = true;
      signal.#reason = reason === undefined ? abortError() : reason;
      signal.dispatchEvent(new Event("abort"));
    };
  }

  constructor(key) {
    super();
    if (key !== KEY) throw new TypeError("Illegal constructor");
  }
  get aborted() {
    return this.#aborted;
  }
  get reason() {
    return this.#reason;
  }
  throwIfAborted() {
    if (this.#aborted) throw this.#reason;
  }
  static abort(reason) {
    const signal = new AbortSignal(KEY);
    fire(signal, reason);
    return signal;
  }
  static timeout(ms) {
    const signal = new AbortSignal(KEY);
    const error = new DOMException("The operation was aborted due to timeout", "TimeoutError");
    setTimeout(() => fire(signal, error), ms);
    return signal;
  }
  static any(signals) {
    const all = [...signals];
    const both = new AbortSignal(KEY);
    const first = all.find((signal) => signal.aborted);
    if (first) fire(both, first.reason);
    else for (const signal of all) onAbort(signal, (reason) => fire(both, reason));
    return both;
  }
}

export class AbortController {
  #signal = new AbortSignal(KEY);
  get signal() {
    return this.#signal;
  }
  abort(reason) {
    fire(this.#signal, reason);
  }
}

/** Calls back once when a signal fires, or at once if it has; gives what takes the listener away. */
export function onAbort(signal, callback) {
  if (!signal) return () => {};
  if (signal.aborted) {
    callback(signal.reason);
    return () => {};
  }
  const listener = () => callback(signal.reason);
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}
