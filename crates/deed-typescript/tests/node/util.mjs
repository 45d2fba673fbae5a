import util, { callbackify, deprecate, inherits, isDeepStrictEqual, parseArgs, promisify, stripVTControlCharacters, styleText, types } from "node:util";

console.log(await promisify((a, b, callback) => callback(null, a + b))(1, 2));
await promisify((callback) => callback(new Error("no")))().catch((error) => console.log(error.message));
const custom = () => {};
custom[promisify.custom] = async () => "custom";
console.log(await promisify(custom)());
await new Promise((resolve) => callbackify(async (a) => a * 2)(4, (error, value) => resolve(console.log(error, value))));
console.log(stripVTControlCharacters("\u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007 plain"));
console.log(JSON.stringify(styleText("red", "x")), JSON.stringify(styleText(["bold", "green"], "y")));
function Old() {}
function Parent() {}
Parent.prototype.hi = () => "hi";
inherits(Old, Parent);
console.log(new Old().hi(), Old.super_ === Parent);
const PAIRS = [[{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }], [[1, 2], [2, 1]], [new Set([1, { a: 1 }]), new Set([{ a: 1 }, 1])], [new Map([[1, 2]]), new Map([[1, 3]])], [NaN, NaN], [0, -0], [new Date(1), new Date(1)], [/a/g, /a/i], [{ a: undefined }, {}], [[], {}], [new Error("x"), new Error("x")], ["1", 1], [Object.create(null), {}]];
console.log(PAIRS.map(([a, b]) => isDeepStrictEqual(a, b)));
console.log([types.isDate(new Date()), types.isRegExp(/a/), types.isPromise(Promise.resolve()), types.isMap(new Map()), types.isAsyncFunction(async () => {}), types.isGeneratorFunction(function* () {}), types.isUint8Array(Buffer.alloc(1)), types.isNativeError(new TypeError()), types.isTypedArray([]), types.isBoxedPrimitive(Object(1))]);
console.log(deprecate((x) => x + 1, "old")(1), util.isArray([]), util.inspect === util.default?.inspect || typeof util.inspect);

const OPTIONS = { verbose: { type: "boolean", short: "v" }, output: { type: "string", short: "o", default: "out" }, tag: { type: "string", multiple: true }, quick: { type: "boolean", short: "q" } };
const LINES = [["-v", "--output", "x", "file"], ["--output=y=z", "--tag", "a", "--tag=b"], ["-vq", "-ofile"], ["--", "-v", "x"], []];
for (const args of LINES) console.log(JSON.stringify(parseArgs({ args, options: OPTIONS, allowPositionals: true })));
for (const args of [["--nope"], ["pos"], ["--output"], ["--verbose=1"]]) {
  try {
    parseArgs({ args, options: OPTIONS });
  } catch (error) {
    console.log(error.code);
  }
}
console.log(JSON.stringify(parseArgs({ args: ["--no-color", "--x", "y"], options: { color: { type: "boolean" } }, allowNegative: true, strict: false })));
