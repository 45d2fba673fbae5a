import assert, { AssertionError } from "node:assert";
import strict from "node:assert/strict";
import { createHash, createHmac, randomBytes, randomInt, randomUUID, timingSafeEqual } from "node:crypto";
import { createRequire } from "node:module";
import os, { EOL } from "node:os";
import process, { argv, env, nextTick } from "node:process";
import querystring from "node:querystring";
import { setTimeout as wait, setImmediate as soon } from "node:timers/promises";
import timers from "node:timers";
import { AsyncLocalStorage } from "node:async_hooks";

console.log(createHash("sha256").update("a").update(Buffer.from("b")).digest("hex"), createHash("md5").update("é").digest("base64"), createHash("sha1").update("x").digest().length, createHash("sha512").update("").digest("hex").slice(0, 16), createHash("sha256").update("61", "hex").digest("hex").slice(0, 8));
console.log(createHmac("sha256", "key").update("data").digest("hex"), createHmac("sha1", Buffer.from("k")).update("d").digest("base64url"));
const hash = createHash("sha256");
hash.update("x");
const copy = hash.copy();
console.log(hash.digest("hex") === copy.digest("hex"));
for (const fault of [() => hash.update("y"), () => hash.digest(), () => createHash("nope"), () => createHash("sha256").update(5), () => timingSafeEqual(Buffer.from("a"), Buffer.from("ab"))]) {
  try {
    fault();
  } catch (error) {
    console.log(error.code ?? error.message);
  }
}
console.log(randomBytes(8).length, /^[0-9a-f]{8}-[0-9a-f]{4}-4/.test(randomUUID()), timingSafeEqual(Buffer.from("a"), Buffer.from("a")), randomInt(3, 4), crypto.getRandomValues(new Uint8Array(4)).length, Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from("a"))).toString("hex").slice(0, 8));

console.log(querystring.parse("a=1&b=2&a=3&c=%20x+y&d"), querystring.stringify({ a: [1, 2], b: "x y&", c: true, d: null, e: "é" }), querystring.escape("a b/c"));
const order = [];
setTimeout(() => order.push("timeout"), 0);
setImmediate(() => order.push("immediate"));
nextTick(() => nextTick(() => order.push("tick")));
queueMicrotask(() => order.push("micro"));
Promise.resolve().then(() => order.push("promise"));
order.push("sync");
await wait(20);
console.log(order.filter((name) => name !== "immediate" && name !== "timeout"), order.length);
const cleared = setTimeout(() => order.push("never"), 1);
clearTimeout(cleared);
let ticks = 0;
await new Promise((resolve) => {
  const interval = setInterval((x) => {
    ticks += x;
    if (ticks === 6) {
      clearInterval(interval);
      resolve();
    }
  }, 1, 2);
});
console.log(ticks, order.includes("never"), await wait(1, "value"), await soon("now"), typeof timers.setTimeout, typeof cleared.unref, cleared.hasRef());
await wait(1000, null, { signal: AbortSignal.abort() }).catch((error) => console.log(error.name, error.code));

console.log(EOL === "\n", os.platform() === process.platform, typeof os.homedir(), os.tmpdir().startsWith("/"), os.constants.signals.SIGKILL, os.type());
console.log(typeof process.cwd(), Array.isArray(argv), process.version.startsWith("v2"), process.versions.node.length > 3, typeof process.hrtime.bigint(), process.hrtime().length, typeof process.uptime(), process.stdout.isTTY ?? false);
env.DEED_TEST = 5;
console.log(env.DEED_TEST, "DEED_TEST" in process.env, env.NOT_THERE, delete env.DEED_TEST, env.DEED_TEST);
process.on("custom", (x) => console.log("custom", x));
process.emit("custom", 1);

const FAULTS = [() => assert(false), () => assert.equal(1, 2), () => assert.strictEqual(1, "1"), () => assert.deepStrictEqual({ a: 1 }, { a: 2 }), () => strict.equal(1, "1"), () => assert.throws(() => {}), () => assert.throws(() => { throw new Error("x"); }, /y/), () => assert.match("a", /b/), () => assert.fail("own"), () => assert.ok(0, "told"), () => assert.notStrictEqual(1, 1)];
for (const fault of FAULTS) {
  try {
    fault();
    console.log("passed");
  } catch (error) {
    console.log(error instanceof AssertionError || error.message, error.code, error.operator, error.generatedMessage);
  }
}
assert.deepEqual({ a: 1 }, { a: "1" });
assert.throws(() => { throw new TypeError("t"); }, TypeError);
assert.throws(() => { throw new TypeError("t"); }, { name: "TypeError", message: "t" });
await assert.rejects(Promise.reject(new Error("r")), /r/);
console.log("asserted");

const require = createRequire(import.meta.url ?? "file:///tmp/x.mjs");
console.log(require("fs").existsSync("/"), require("node:path").join("a", "b"), typeof require("events").EventEmitter, new (require("events"))().emit("x"));
const store = new AsyncLocalStorage();
console.log(store.run(5, () => store.getStore()), store.getStore());
console.log(typeof globalThis.performance.now(), typeof global, global === globalThis);
console.log((1234567.891).toLocaleString(), (0.5).toLocaleString("en-US", { style: "percent" }), new Intl.NumberFormat("en-US").format(9876543), [...new Intl.Segmenter().segment("a👍🏽é🇩🇪")].map((entry) => entry.segment).length, new Intl.NumberFormat("en-US", { notation: "compact" }).format(12345));
const day = new Date(Date.UTC(2024, 0, 5, 13, 4, 5));
console.log(day.toLocaleDateString("en-US", { timeZone: "UTC" }), day.toLocaleDateString("en-US", { timeZone: "UTC", month: "long", day: "numeric", year: "numeric", weekday: "long" }), day.toLocaleTimeString("en-US", { timeZone: "UTC" }).replace("\u202f", " "), day.toLocaleString("en-US", { timeZone: "UTC", dateStyle: "medium" }));
