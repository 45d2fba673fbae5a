import { Duplex, finished, PassThrough, pipeline, Readable, Transform, Writable } from "node:stream";
import { pipeline as run } from "node:stream/promises";
import { createInterface } from "node:readline";
import { StringDecoder } from "node:string_decoder";

const collect = async (stream) => {
  const all = [];
  for await (const chunk of stream) all.push(chunk);
  return all;
};
console.log(await collect(Readable.from(["a", "b", "c"])), (await collect(Readable.from(Buffer.from("xyz"))))[0].toString());
const made = new Readable({ read() {} });
made.setEncoding("utf8");
made.push(Buffer.from([0xe2, 0x82]));
made.push(Buffer.from([0xac]));
made.push("end");
made.push(null);
console.log((await collect(made)).join("|"));

const seen = [];
const flowing = new Readable({ read() {} });
flowing.on("data", (chunk) => seen.push(`data ${chunk}`)).on("end", () => seen.push("end")).on("close", () => seen.push("close"));
flowing.push("1");
flowing.push("2");
flowing.push(null);
await new Promise((resolve) => flowing.on("close", resolve));
console.log(seen);

const written = [];
const slow = new Writable({
  highWaterMark: 3,
  write(chunk, encoding, callback) {
    written.push(`${chunk} ${encoding}`);
    setTimeout(callback, 1);
  },
  final(callback) {
    written.push("final");
    callback();
  },
});
console.log(slow.write("ab"), slow.write("cd"), slow.writableLength, slow.writableNeedDrain);
slow.on("drain", () => written.push("drain")).on("finish", () => written.push("finish")).on("close", () => written.push("close"));
await new Promise((resolve) => slow.once("drain", resolve));
slow.end("e", () => written.push("ended"));
await new Promise((resolve) => slow.on("close", resolve));
console.log(written, slow.writableEnded, slow.writableFinished, slow.destroyed);

const upper = () => new Transform({ transform: (chunk, _encoding, callback) => callback(null, String(chunk).toUpperCase()), flush: (callback) => callback(null, "!") });
const out = [];
await run(Readable.from(["ab", "cd"]), upper(), new Writable({ write: (chunk, _e, callback) => (out.push(String(chunk)), callback()) }));
console.log(out);
await run(
  Readable.from(["1", "2"]),
  async function* (source) {
    for await (const chunk of source) yield `<${chunk}>`;
  },
  new Writable({ objectMode: true, write: (chunk, _e, callback) => (out.push(String(chunk)), callback()) }),
);
console.log(out);
await run(Readable.from(["x"]), new Transform({ transform: (_c, _e, callback) => callback(new Error("broken")) }), new PassThrough()).catch((error) => console.log("failed:", error.message));
await new Promise((resolve) => pipeline(Readable.from(["q"]), new PassThrough(), new Writable({ write: (_c, _e, callback) => callback() }), (error) => resolve(console.log("done", error ?? "well"))));

const failing = new Readable({ read() { this.destroy(new Error("read failed")); } });
await collect(failing).catch((error) => console.log(error.message, failing.destroyed, failing.errored === error));
await new Promise((resolve) => finished(Readable.from(["z"]).resume(), (error) => resolve(console.log("finished", error ?? "well"))));
const early = new PassThrough();
await new Promise((resolve) => {
  finished(early, (error) => resolve(console.log(error.code)));
  early.destroy();
});
const late = new Writable({ write: (_c, _e, callback) => callback() });
late.on("error", (error) => console.log(error.code));
late.end();
late.write("after");
await new Promise((resolve) => setTimeout(resolve, 2));

const reader = Readable.from([Buffer.from("hello world")], { objectMode: false });
await new Promise((resolve) => reader.once("readable", resolve));
console.log(String(reader.read(5)), String(reader.read()), reader.read());
const both = new Duplex({ read() {}, write(chunk, _encoding, callback) { this.push(`got ${chunk}`); callback(); }, final(callback) { this.push(null); callback(); } });
both.end("it");
console.log((await collect(both)).map(String));
console.log(new PassThrough() instanceof Writable, new PassThrough() instanceof Readable, new Readable() instanceof Writable);
console.log(await Readable.from([1, 2, 3]).map((x) => x * 2).toArray());

const lines = createInterface({ input: Readable.from(["one\ntw", "o\r\nthr", "ee"]), crlfDelay: Infinity });
for await (const line of lines) console.log("line", line);
const events = [];
const source = new PassThrough();
const listening = createInterface({ input: source });
listening.on("line", (line) => events.push(line)).on("close", () => events.push("close"));
source.write("a\n\nb");
source.end();
await new Promise((resolve) => listening.on("close", resolve));
console.log(events);

const decoder = new StringDecoder("utf8");
console.log(JSON.stringify([decoder.write(Buffer.from([0xe2])), decoder.write(Buffer.from([0x82, 0xac, 0xf0])), decoder.end()]), JSON.stringify([new StringDecoder("base64").write(Buffer.from("abcd")), new StringDecoder("hex").end(Buffer.from("a"))]));
