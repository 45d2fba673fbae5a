const hex = (bytes) => Buffer.from(bytes).toString("hex");
const encoder = new TextEncoder();
console.log(hex(encoder.encode("aé€😀\ud800x")), JSON.stringify(encoder.encodeInto("a€b", new Uint8Array(3))), encoder.encoding);
const BYTES = ["41", "c3a9", "e282ac", "f09f9880", "ff", "c0af", "e28241", "f0808080", "eda080", "f4908080", "c3", "e282", "f09f98", "efbbbf41", "41c3", "80", "f8888080", "e0809f", "c2a0c2"];
for (const text of BYTES) {
  const bytes = Buffer.from(text, "hex");
  const shown = JSON.stringify(new TextDecoder().decode(bytes));
  let strict = "taken";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    strict = error.name;
  }
  console.log(text, shown, strict);
}
const decoder = new TextDecoder();
console.log(JSON.stringify([0xf0, 0x9f, 0x98, 0x80, 0x41, 0xe2].map((byte) => decoder.decode(Uint8Array.of(byte), { stream: true }))), JSON.stringify(decoder.decode()));
console.log(new TextDecoder("utf-16le").decode(Buffer.from("h\u20ac😀", "utf16le")), new TextDecoder("latin1").decode(Uint8Array.of(0xe9, 0x80)), new TextDecoder("UTF8").encoding, new TextDecoder("ascii").encoding);
console.log(new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.from("efbbbf41", "hex")).length);
try {
  new TextDecoder("nope");
} catch (error) {
  console.log(error.name, error.code);
}
const original = { a: 1, when: new Date(5), list: [1, , 3], map: new Map([[{ k: 1 }, new Set([1])]]), re: /x/gi, bytes: new Uint8Array([1, 2]), error: new TypeError("bad"), nothing: undefined };
original.self = original;
const copy = structuredClone(original);
console.log(copy.self === copy, copy.when.getTime(), 1 in copy.list, [...copy.map.keys()][0].k, copy.re.flags, copy.bytes, copy.error instanceof TypeError, copy.error.message, "nothing" in copy);
for (const value of [() => {}, Symbol("x"), { f() {} }]) {
  try {
    structuredClone(value);
  } catch (error) {
    console.log(error.name, error.code);
  }
}
