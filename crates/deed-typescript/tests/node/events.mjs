import EventEmitter, { EventEmitter as Named, on, once } from "node:events";

console.log(EventEmitter === Named, EventEmitter.defaultMaxListeners, typeof EventEmitter.once);
const emitter = new EventEmitter();
const seen = [];
emitter.on("a", (...args) => seen.push(["on", ...args]));
emitter.once("a", (x) => seen.push(["once", x]));
emitter.prependListener("a", () => seen.push(["first"]));
console.log(emitter.emit("a", 1, 2), emitter.emit("a", 3), emitter.emit("nobody"), JSON.stringify(seen), emitter.listenerCount("a"), emitter.eventNames());
const listener = () => seen.push("removed");
emitter.on("b", listener).on("b", listener);
emitter.off("b", listener);
console.log(emitter.listenerCount("b"), emitter.listeners("b")[0] === listener, emitter.rawListeners("b").length);
emitter.removeAllListeners("b");
console.log(emitter.listenerCount("b"), emitter.setMaxListeners(5).getMaxListeners());
for (const value of [new RangeError("boom"), "text", { a: 1 }, undefined]) {
  try {
    new EventEmitter().emit("error", value);
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}
try {
  emitter.on("x", 5);
} catch (error) {
  console.log(error.code, error.message);
}
const order = [];
const changing = new EventEmitter();
changing.on("e", () => {
  order.push(1);
  changing.on("e", () => order.push("late"));
  changing.removeListener("e", second);
});
const second = () => order.push(2);
changing.on("e", second);
changing.emit("e");
console.log(order);
const told = new EventEmitter();
told.on("newListener", (name) => order.push(`new ${name}`));
told.on("removeListener", (name) => order.push(`gone ${name}`));
told.on("q", second);
told.off("q", second);
console.log(order);
setTimeout(() => emitter.emit("later", "v", 2), 1);
console.log(await once(emitter, "later"));
setTimeout(() => emitter.emit("error", new Error("failed")), 1);
await once(emitter, "never").catch((error) => console.log(error.message));
const controller = new AbortController();
setTimeout(() => controller.abort(), 1);
await once(emitter, "never", { signal: controller.signal }).catch((error) => console.log(error.name, error.code));
setTimeout(() => {
  emitter.emit("tick", 1);
  emitter.emit("tick", 2);
}, 1);
for await (const [value] of on(emitter, "tick")) {
  console.log("tick", value);
  if (value === 2) break;
}
console.log(emitter.listenerCount("tick"));
class Old extends EventEmitter {}
console.log(new Old() instanceof EventEmitter);

const target = new EventTarget();
target.addEventListener("x", (event) => console.log(event.type, event.detail, event.target === target), { once: true });
console.log(target.dispatchEvent(new CustomEvent("x", { detail: 7 })), target.dispatchEvent(new Event("x")));
target.addEventListener("y", { handleEvent: (event) => event.preventDefault() });
console.log(target.dispatchEvent(new Event("y", { cancelable: true })));
const abort = new AbortController();
abort.signal.onabort = () => console.log("onabort");
abort.signal.addEventListener("abort", () => console.log("listener", abort.signal.reason.name));
abort.abort();
abort.abort();
console.log(abort.signal.aborted, AbortSignal.abort("why").reason, AbortSignal.any([new AbortController().signal, AbortSignal.abort(5)]).reason);
try {
  abort.signal.throwIfAborted();
} catch (error) {
  console.log(error.name, error.message, error.code);
}
const alive = setInterval(() => {}, 5);
const timed = AbortSignal.timeout(1);
await new Promise((resolve) => timed.addEventListener("abort", resolve));
console.log(timed.reason.name);
clearInterval(alive);
