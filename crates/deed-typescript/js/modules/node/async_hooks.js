// node:async_hooks: a store that lasts as long as the call itself runs without waiting.

export * from "deed:modules/stubs/node/async_hooks";

let current = new Map();

export class AsyncLocalStorage {
  run(store, call, ...args) {
    const before = current;
    current = new Map(before).set(this, store);
    try {
      return call(...args);
    } finally {
      current = before;
    }
  }
  exit(call, ...args) {
    return this.run(undefined, call, ...args);
  }
  getStore() {
    return current.get(this);
  }
  enterWith(store) {
    current = new Map(current).set(this, store);
  }
  disable() {
    current.delete(this);
  }
  static bind(call) {
    return AsyncLocalStorage.snapshot().bind(null, call);
  }
  static snapshot() {
    const kept = current;
    return (call, ...args) => {
      const before = current;
      current = kept;
      try {
        return call(...args);
      } finally {
        current = before;
      }
    };
  }
}

export class AsyncResource {
  #run = AsyncLocalStorage.snapshot();
  runInAsyncScope(call, self, ...args) {
    return this.#run(() => call.apply(self, args));
  }
  emitDestroy() {
    return this;
  }
  asyncId() {
    return 0;
  }
  triggerAsyncId() {
    return 0;
  }
  static bind(call) {
    return AsyncLocalStorage.bind(call);
  }
}
export const createHook = () => ({ enable() {}, disable() {} });
export const executionAsyncId = () => 0;
export const triggerAsyncId = () => 0;
export default { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId, triggerAsyncId };
