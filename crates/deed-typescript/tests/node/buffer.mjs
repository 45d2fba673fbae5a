import { Buffer as Same, isUtf8 } from "node:buffer";

console.log(Same === Buffer, Buffer.from("é€😀").toString("hex"), Buffer.from("é€😀").toString("base64"), Buffer.from("é€😀", "latin1"), Buffer.from("é€😀", "utf16le").toString("hex"));
const ENCODINGS = ["utf8", "utf-8", "UTF8", "hex", "base64", "base64url", "latin1", "binary", "ascii", "ucs2", "utf16le"];
const bytes = Buffer.from([0, 1, 127, 128, 200, 255, 0xe2, 0x82, 0xac, 0xf0, 0x9f]);
for (const encoding of ENCODINGS) console.log(encoding, JSON.stringify(bytes.toString(encoding)), Buffer.from(bytes.toString(encoding), encoding).toString("hex"), Buffer.byteLength("aé€", encoding));
console.log(Buffer.from("aGk=", "base64").toString(), Buffer.from("aGk", "base64").toString(), Buffer.from("a G\nk", "base64").toString(), Buffer.from("_-8", "base64").toString("hex"), Buffer.from("abcz12", "hex"), Buffer.from("f", "hex").length);
console.log(Buffer.from([1, 2.9, -1, 256, "7"]), Buffer.from(new Uint16Array([1, 258])), Buffer.from(new Uint8Array([1, 2]).buffer, 1), Buffer.from({ type: "Buffer", data: [1, 2] }), Buffer.from(new String("obj")), Buffer.alloc(3, "ab"), Buffer.alloc(2), Buffer.alloc(3, 7));
console.log(Buffer.concat([Buffer.from("ab"), Buffer.from("cd")]).toString(), Buffer.concat([Buffer.from("abc")], 2).toString(), Buffer.concat([Buffer.from("a")], 3), Buffer.compare(Buffer.from("a"), Buffer.from("b")), Buffer.from("x").equals(Buffer.from("x")), Buffer.isBuffer(new Uint8Array(1)), Buffer.isEncoding("nope"));
const buffer = Buffer.from("hello world");
console.log(buffer.slice(1, 4).toString(), buffer.subarray(-5).toString(), buffer.subarray(-5, -2).toString(), buffer.indexOf("o"), buffer.indexOf("o", 5), buffer.lastIndexOf("o"), buffer.lastIndexOf("o", 5), buffer.indexOf(119), buffer.includes("wor"), buffer.indexOf("zz"), buffer.indexOf(Buffer.from("ld")), buffer.indexOf(""), buffer.indexOf("h", -20), buffer.lastIndexOf("l", -3));
const shared = buffer.subarray(0, 2);
shared[0] = 72;
console.log(buffer.toString(), buffer.toJSON().data.length, buffer.toString("utf8", 1, 3), buffer.toString("utf8", 3, 1), buffer.write("XY", 2), buffer.toString(), buffer.write("€", 9), buffer.fill("ab", 0, 5).toString());
const numbers = Buffer.alloc(16);
numbers.writeUInt32BE(0xdeadbeef, 0);
numbers.writeInt16LE(-2, 4);
numbers.writeDoubleLE(1.5, 8);
numbers.writeUIntBE(0x123456, 5, 3);
console.log(numbers.toString("hex"), numbers.readUInt32BE(0), numbers.readUInt32LE(0), numbers.readInt16LE(4), numbers.readDoubleLE(8), numbers.readUIntBE(5, 3), numbers.readIntLE(0, 3), numbers.readBigUInt64BE(0), numbers.readUint8(1), numbers.readFloatBE(8));
console.log(Buffer.from("0102030405060708", "hex").swap16().toString("hex"), Buffer.from("01020304", "hex").swap32().toString("hex"), isUtf8(Buffer.from([0xff])), [...buffer.entries()].length, buffer.map((x) => x).constructor.name, buffer.filter(() => true) instanceof Buffer);
const copy = Buffer.alloc(4, "-");
console.log(Buffer.from("abcdef").copy(copy, 1, 2, 4), copy.toString(), Buffer.from("abc").compare(Buffer.from("abd")), Buffer.of(1, 2), Buffer.from("test").toString("utf16le"), new TextDecoder().decode(Buffer.from("ok")), structuredClone(Buffer.from("a")).constructor.name);
const FAULTS = [() => Buffer.from(5), () => Buffer.from(null), () => Buffer.alloc(-1), () => Buffer.from("x", "nope"), () => numbers.readUInt8(99), () => numbers.writeUInt8(300, 0), () => Buffer.concat("x"), () => Buffer.alloc("5")];
for (const fault of FAULTS) {
  try {
    fault();
    console.log("nothing thrown");
  } catch (error) {
    console.log(error.name, error.code);
  }
}
console.log(Buffer.from("a".repeat(100)), btoa("hi"), atob("aGk="));
