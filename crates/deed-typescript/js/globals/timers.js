// setTimeout and its sisters over the host's timers. The host calls `fire` with the id.

import { codedError, received } from "deed:errors";
import { clearTimer, setTimer } from "deed:native";

const LONGEST_MS = 2 ** 31 - 1;
const running = new Map();
let lastId = 0;

class Timeout {
  #id;
  #holds = true;
  constructor(id) {
    this.#id = id;
  }
  ref() {
    this.#holds = true;
    return this;
  }
  unref() {
    this.#holds = false;
    return this;
  }
  hasRef() {
    return this.#holds;
  }
  refresh() {
    const timer = running.get(this.#id);
    if (timer) start(this.#id, timer.ms);
    return this;
  }
  close() {
    clearTimeout(this);
    return this;
  }
  [Symbol.toPrimitive]() {
    return this.#id;
  }
  [Symbol.dispose]() {
    clearTimeout(this);
  }
}

function start(id, ms) {
  clearTimer(id);
  setTimer(id, ms);
}

function add(callback, delay, repeats, args) {
  if (typeof callback !== "function") {
    throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", `The "callback" argument must be of type function. ${received(callback)}`);
  }
  const asked = Number(delay);
  const ms = asked >= 1 && asked <= LONGEST_MS ? Math.trunc(asked) : 1;
  const id = ++lastId;
  running.set(id, { callback, args, repeats, ms });
  setTimer(id, ms);
  return new Timeout(id);
}

export const setTimeout = (callback, delay, ...args) => add(callback, delay, false, args);
export const setInterval = (callback, delay, ...args) => add(callback, delay, true, args);

export function clearTimeout(timer) {
  if (timer === undefined || timer === null) return;
  const id = Number(timer);
  if (running.delete(id)) clearTimer(id);
}
export const clearInterval = clearTimeout;

const immediates = new Map();
class Immediate {
  ref() {
    return this;
  }
  unref() {
    return this;
  }
  hasRef() {
    return immediates.has(this);
  }
  [Symbol.dispose]() {
    clearImmediate(this);
  }
}

export function setImmediate(callback, ...args) {
  const immediate = new Immediate();
  immediates.set(immediate, add(() => immediates.delete(immediate) && callback(...args), 0, false, []));
  return immediate;
}

export function clearImmediate(immediate) {
  const timer = immediates.get(immediate);
  if (timer && immediates.delete(immediate)) clearTimeout(timer);
}

/** Runs the callback of a timer whose time has come. */
export function fire(id) {
  const timer = running.get(id);
  if (!timer) return;
  if (timer.repeats) setTimer(id, timer.ms);
  else running.delete(id);
  timer.callback(...timer.args);
}

/** Drops all timers. */
export function dropTimers() {
  for (const id of running.keys()) clearTimer(id);
  running.clear();
  immediates.clear();
}
