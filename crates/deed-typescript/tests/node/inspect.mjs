import { format, inspect } from "node:util";

class Foo {
  constructor() {
    this.a = 1;
  }
}
class Bar extends Foo {}
const ring = { name: "ring", list: [] };
ring.list.push(ring);
const VALUES = [1, -0, "it's", 'say "x"', "a\nb\u0001", `both ' and "`, true, null, undefined, 10n, Symbol("s"), [], {}, [1, 2, 3], { a: 1, "b-c": "x", [Symbol("k")]: 2 }, [1, , 3], [undefined, null], new Map([["a", { b: 1 }]]), new Set([1, "x"]), new Date(0), /a+/gi, () => {}, function named() {}, class Plain {}, Bar, async () => {}, function* gen() {}, new Foo(), new Bar(), Object.create(null), ring, { a: { b: { c: { d: 1 } } } }, [[[[1]]]], new Uint8Array([1, 2, 3]), Buffer.from("hello"), new Error("x").message, { get g() { return 1; }, set s(v) {}, get both() { return 1; }, set both(v) {} }, Object(1), Object("str"), new (class extends Map {})(), { f() {}, h: class {} }, [new Foo(), { x: new Bar() }], { long: "x".repeat(90), other: "y".repeat(20) }, new Array(5), { undefined: undefined }, [["a", 1], ["b", 2]], { nested: [{ id: 1, tags: ["a", "b"] }, { id: 2, tags: [] }] }, Object.assign(() => {}, { extra: 1 }), new WeakMap()];
for (const value of VALUES) console.log(inspect(value));
console.log(inspect({ a: { b: { c: { d: { e: 1 } } } } }, { depth: 4 }), inspect({ a: { b: {} } }, { depth: 0 }), inspect({ a: [{}] }, false, null));
console.log(inspect(Array.from({ length: 120 }, (_, i) => i)));
console.log(inspect(Array.from({ length: 30 }, (_, i) => `item${i}`)));
console.log(inspect(Array.from({ length: 8 }, (_, i) => ({ i }))));
console.log(inspect({ method: "POST", headers: { "content-type": "application/json", accept: "*/*" }, body: JSON.stringify({ a: 1 }), retries: 3, timeout: 1000 }));
console.log(inspect({ a: 1, b: [1, 2] }, { compact: false }), inspect({ a: 1 }, { breakLength: 5 }), inspect({ b: 1, a: 2 }, { sorted: true }));
console.log(inspect({ [inspect.custom](depth, options, show) { return `<${show({ depth })}>`; } }));
console.log(format("%s %d %i %f %j %o %O %% %c.", "s", 1.5, 1.9, "2.5", { a: 1 }, [1], { b: 2 }, "css"), format("a", "b", { c: 1 }), format(1, 2, "3"), format("%s", null, undefined, 5n), format("%s %s", "only"), format("100%"), format("%s", [1, [2, [3]]]), format("%s", { toString() { return "own"; } }), format("%d", "x"), format("%x", 1), format());
