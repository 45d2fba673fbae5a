// Watching files: the host is asked again and again for what came.

import { pathOf } from "deed:fs-calls";
import { fsError } from "deed:fs-errors";
import { callAsync } from "deed:fs-styles";
import { Stats } from "deed:fs-types";
import { onAbort } from "deed:globals/events";
import { clearInterval, setInterval } from "deed:globals/timers";
import { EventEmitter } from "deed:modules/node/events";
import { nextId, op, opAsync } from "deed:native";

class Watcher extends EventEmitter {
  #id = nextId("watch");
  #closed = false;

  constructor(path, { recursive = false, signal } = {}) {
    super();
    try {
      op("fs.watch", { id: this.#id, path, recursive });
    } catch (error) {
      throw fsError(error, "watch", path);
    }
    onAbort(signal, () => this.close());
    this.#run();
  }
  async #run() {
    try {
      while (!this.#closed) {
        const { events, closed } = await opAsync("fs.watchNext", { id: this.#id });
        for (const { type, name } of events ?? []) {
          if (!this.#closed) this.emit("change", type, name);
        }
        if (closed) this.close();
      }
    } catch (error) {
      if (!this.#closed) this.emit("error", error);
    }
  }
  close() {
    if (this.#closed) return;
    this.#closed = true;
    op("fs.unwatch", { id: this.#id });
    queueMicrotask(() => this.emit("close"));
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
}

export function watch(path, options, listener) {
  const call = typeof options === "function" ? options : listener;
  const watcher = new Watcher(pathOf(path), typeof options === "object" && options !== null ? options : {});
  if (call) watcher.on("change", call);
  return watcher;
}

export async function* watchAsync(path, options = {}) {
  const watcher = new Watcher(pathOf(path), options);
  const come = [];
  let wake = () => {};
  let failure;
  let open = true;
  watcher.on("change", (eventType, filename) => (come.push({ eventType, filename }), wake()));
  watcher.on("error", (error) => ((failure = error), wake()));
  watcher.on("close", () => ((open = false), wake()));
  try {
    while (open || come.length > 0) {
      if (come.length > 0) yield come.shift();
      else if (failure) throw failure;
      else await new Promise((resolve) => (wake = resolve));
    }
    options.signal?.throwIfAborted();
  } finally {
    watcher.close();
  }
}

const POLL_MS = 5007;
const polled = new Map();
const EMPTY = { kind: "none", mode: 0 };

export function watchFile(path, options, listener) {
  const file = pathOf(path);
  const call = typeof options === "function" ? options : listener;
  const look = () => callAsync("stat", file).catch(() => new Stats(EMPTY));
  let last = look();
  const timer = setInterval(async () => {
    const before = await last;
    last = look();
    const now = await last;
    if (before.mtimeMs !== now.mtimeMs || before.size !== now.size) call(now, before);
  }, options?.interval ?? POLL_MS);
  polled.set(file, [...(polled.get(file) ?? []), { call, timer }]);
}

export function unwatchFile(path, listener) {
  const file = pathOf(path);
  const list = polled.get(file) ?? [];
  for (const { call, timer } of list) if (!listener || call === listener) clearInterval(timer);
  polled.set(file, listener ? list.filter(({ call }) => call !== listener) : []);
}
