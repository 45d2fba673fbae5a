// What all streams share: being destroyed, failing, closing.

import { onAbort } from "deed:globals/events";
import { codedError } from "deed:errors";
import { EventEmitter } from "deed:modules/node/events";

export class Stream extends EventEmitter {
  #destroyed = false;
  #errored = null;
  #closed = false;
  #autoDestroy;
  #emitClose;

  constructor(options = {}) {
    super();
    this.#autoDestroy = options?.autoDestroy ?? true;
    this.#emitClose = options?.emitClose ?? true;
    if (typeof options?.destroy === "function") this._destroy = options.destroy;
    if (options?.signal) {
      onAbort(options.signal, (reason) => this.destroy(codedError(Error, "ABORT_ERR", "The operation was aborted", { name: "AbortError", cause: reason })));
    }
  }
  get destroyed() {
    return this.#destroyed;
  }
  get errored() {
    return this.#errored;
  }
  get closed() {
    return this.#closed;
  }
  _destroy(error, callback) {
    callback(error);
  }
  destroy(error) {
    if (this.#destroyed) return this;
    this.#destroyed = true;
    this.#errored = error ?? null;
    this._destroy(error ?? null, (failure) => {
      queueMicrotask(() => {
        if (failure) {
          this.#errored = failure;
          this.emit("error", failure);
        }
        this.#closed = true;
        if (this.#emitClose) this.emit("close");
      });
    });
    return this;
  }
  /** Destroys the stream once both of its sides are done. */
  _ended() {
    if (!this.#autoDestroy) return;
    const readDone = this.readableEnded ?? true;
    const writeDone = this.writableFinished ?? true;
    if (readDone && writeDone) queueMicrotask(() => this.destroy());
  }
  [Symbol.asyncDispose]() {
    return new Promise((resolve) => {
      this.once("close", resolve);
      this.destroy();
    });
  }
}
