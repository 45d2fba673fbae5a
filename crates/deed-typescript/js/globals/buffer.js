// Buffer: bytes with node's methods.

import { bytesToBase64, bytesToHex, hexToBytes, latin1Decode, latin1Encode, looseBase64ToBytes, utf16Decode, utf16Encode, utf8Decode, utf8Encode, utf8Length } from "deed:bytes";
import { codedError, received } from "deed:errors";
import { CUSTOM } from "deed:inspect";
import { installNumbers } from "deed:globals/buffer-numbers";

export const kMaxLength = 2 ** 31 - 1;
export const constants = { MAX_LENGTH: kMaxLength, MAX_STRING_LENGTH: 2 ** 29 - 24 };

const CODECS = {
  utf8: { encode: utf8Encode, decode: (bytes) => utf8Decode(bytes).text },
  utf16le: { encode: utf16Encode, decode: utf16Decode },
  latin1: { encode: latin1Encode, decode: latin1Decode },
  ascii: { encode: latin1Encode, decode: (bytes) => latin1Decode(bytes.map((byte) => byte & 0x7f)) },
  base64: { encode: looseBase64ToBytes, decode: (bytes) => bytesToBase64(bytes) },
  base64url: { encode: looseBase64ToBytes, decode: (bytes) => bytesToBase64(bytes, { alphabet: "base64url", omitPadding: true }) },
  hex: { encode: hexToBytes, decode: bytesToHex },
};
const NAMES = { utf8: "utf8", "utf-8": "utf8", utf16le: "utf16le", "utf-16le": "utf16le", ucs2: "utf16le", "ucs-2": "utf16le", latin1: "latin1", binary: "latin1", ascii: "ascii", base64: "base64", base64url: "base64url", hex: "hex" };

/** Returns the one name of an encoding; undefined if there is none of that name. */
export const encodingName = (name) => (name === undefined || name === null || name === "" ? "utf8" : NAMES[String(name).toLowerCase()]);

function codecOf(name) {
  const known = encodingName(name);
  if (!known) throw codedError(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${name}`);
  return CODECS[known];
}

const isBytes = (value) => ArrayBuffer.isView(value) && !(value instanceof DataView);
const asBytes = (value) => new Uint8Array(value.buffer, value.byteOffset, value.byteLength);

function wrongType(name, expected, value) {
  return codedError(TypeError, "ERR_INVALID_ARG_TYPE", `The ${name} argument must be ${expected}. ${received(value)}`);
}

function checkSize(size) {
  if (typeof size !== "number") throw wrongType('"size"', "of type number", size);
  if (!(size >= 0 && size <= kMaxLength)) throw codedError(RangeError, "ERR_OUT_OF_RANGE", `The value of "size" is out of range. It must be >= 0 && <= ${kMaxLength}. Received ${size}`);
}

const clamp = (value, length, fallback) => {
  const number = Math.trunc(Number(value));
  if (value === undefined || Number.isNaN(number)) return fallback;
  return number < 0 ? Math.max(length + number, 0) : Math.min(number, length);
};

function fromObject(value) {
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return new Buffer(value);
  if (isBytes(value) || Array.isArray(value)) return Buffer.view(Uint8Array.from(value, (item) => item & 255));
  const primitive = value.valueOf?.();
  if (primitive !== undefined && primitive !== null && primitive !== value) return Buffer.from(primitive);
  if (value.type === "Buffer" && Array.isArray(value.data)) return Buffer.from(value.data);
  if (typeof value[Symbol.toPrimitive] === "function") return Buffer.from(value[Symbol.toPrimitive]("string"));
  if (typeof value.length === "number") return Buffer.view(Uint8Array.from(value, (item) => item & 255));
  return undefined;
}

export class Buffer extends Uint8Array {
  constructor(value, encodingOrOffset, length) {
    if (typeof value === "string") super(codecOf(encodingOrOffset).encode(value));
    else if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) super(value, encodingOrOffset, length);
    else super(value);
  }
  /** Makes a buffer over bytes without copying them. */
  static view(bytes) {
    return new Buffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  static from(value, encodingOrOffset, length) {
    if (typeof value === "string") return Buffer.view(codecOf(encodingOrOffset).encode(value));
    if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return new Buffer(value, encodingOrOffset, length);
    const made = typeof value === "object" && value !== null ? fromObject(value) : undefined;
    if (made) return made;
    throw wrongType("first", "of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object", value);
  }
  static of(...items) {
    return Buffer.from(items);
  }
  static alloc(size, fill, encoding) {
    checkSize(size);
    const buffer = new Buffer(size);
    return fill === undefined || fill === 0 ? buffer : buffer.fill(fill, 0, size, encoding);
  }
  static allocUnsafe(size) {
    return Buffer.alloc(size);
  }
  static allocUnsafeSlow(size) {
    return Buffer.alloc(size);
  }
  static isBuffer(value) {
    return value instanceof Buffer;
  }
  static isEncoding(name) {
    return typeof name === "string" && name !== "" && encodingName(name) !== undefined;
  }
  static byteLength(value, encoding) {
    if (typeof value !== "string") {
      if (isBytes(value) || value instanceof ArrayBuffer || value instanceof DataView) return value.byteLength;
      throw wrongType('"string"', "of type string or an instance of Buffer or ArrayBuffer", value);
    }
    const name = encodingName(encoding) ?? "utf8";
    if (name === "utf8") return utf8Length(value);
    if (name === "latin1" || name === "ascii") return value.length;
    if (name === "utf16le") return value.length * 2;
    if (name === "hex") return value.length >>> 1;
    const pad = value.endsWith("==") ? 2 : value.endsWith("=") ? 1 : 0;
    return Math.floor(((value.length - pad) * 3) / 4);
  }
  static concat(list, total) {
    if (!Array.isArray(list)) throw wrongType('"list"', "an instance of Array", list);
    const size = total ?? list.reduce((sum, item) => sum + item.length, 0);
    const whole = Buffer.alloc(size);
    let at = 0;
    for (const [index, item] of list.entries()) {
      if (!isBytes(item)) throw wrongType(`"list[${index}]"`, "an instance of Buffer or Uint8Array", item);
      const part = item.length > size - at ? item.subarray(0, size - at) : item;
      Uint8Array.prototype.set.call(whole, part, at);
      at += part.length;
      if (at >= size) break;
    }
    return whole;
  }
  static compare(left, right) {
    const shared = Math.min(left.length, right.length);
    for (let at = 0; at < shared; at++) {
      if (left[at] !== right[at]) return left[at] < right[at] ? -1 : 1;
    }
    return Math.sign(left.length - right.length);
  }

  get parent() {
    return this.buffer;
  }
  get offset() {
    return this.byteOffset;
  }
  toString(encoding, start, end) {
    const from = Math.max(0, Math.trunc(Number(start)) || 0);
    const to = end === undefined ? this.length : Math.min(Math.max(0, Math.trunc(Number(end)) || 0), this.length);
    if (from >= to) return "";
    const bytes = from === 0 && to === this.length ? asBytes(this) : asBytes(this).subarray(from, to);
    return codecOf(encoding).decode(bytes);
  }
  toLocaleString(encoding, start, end) {
    return this.toString(encoding, start, end);
  }
  toJSON() {
    return { type: "Buffer", data: [...this] };
  }
  equals(other) {
    if (!isBytes(other)) throw wrongType('"otherBuffer"', "an instance of Buffer or Uint8Array", other);
    return Buffer.compare(this, other) === 0;
  }
  compare(other, start = 0, end = other.length, ownStart = 0, ownEnd = this.length) {
    return Buffer.compare(this.subarray(ownStart, ownEnd), other.subarray(start, end));
  }
  slice(start, end) {
    return this.subarray(start, end);
  }
  subarray(start, end) {
    const from = clamp(start, this.length, 0);
    const to = Math.max(clamp(end, this.length, this.length), from);
    return new Buffer(this.buffer, this.byteOffset + from, to - from);
  }
  copy(target, targetStart = 0, start = 0, end = this.length) {
    const count = Math.max(0, Math.min(end - start, target.length - targetStart, this.length - start));
    Uint8Array.prototype.set.call(target, asBytes(this).subarray(start, start + count), targetStart);
    return count;
  }
  write(text, offset, length, encoding) {
    if (typeof offset === "string") return this.write(text, 0, this.length, offset);
    if (typeof length === "string") return this.write(text, offset, undefined, length);
    const at = offset ?? 0;
    const room = Math.min(length ?? Infinity, this.length - at);
    let bytes = codecOf(encoding).encode(String(text));
    if (bytes.length > room) bytes = bytes.subarray(0, encodingName(encoding) === "utf8" ? wholeCharacters(bytes, room) : room);
    this.set(bytes, at);
    return bytes.length;
  }
  fill(value, offset, end, encoding) {
    if (typeof offset === "string") return this.fill(value, 0, this.length, offset);
    if (typeof end === "string") return this.fill(value, offset, this.length, end);
    const from = offset ?? 0;
    const to = end ?? this.length;
    if (typeof value === "number" || typeof value === "boolean") {
      Uint8Array.prototype.fill.call(this, Number(value) & 255, from, to);
      return this;
    }
    const pattern = typeof value === "string" ? codecOf(encoding).encode(value) : asBytes(value);
    if (pattern.length === 0) Uint8Array.prototype.fill.call(this, 0, from, to);
    else for (let at = from; at < to; at++) this[at] = pattern[(at - from) % pattern.length];
    return this;
  }
  indexOf(value, offset, encoding) {
    return search(this, value, offset, encoding, false);
  }
  lastIndexOf(value, offset, encoding) {
    return search(this, value, offset, encoding, true);
  }
  includes(value, offset, encoding) {
    return this.indexOf(value, offset, encoding) >= 0;
  }
  swap16() {
    return swap(this, 2);
  }
  swap32() {
    return swap(this, 4);
  }
  swap64() {
    return swap(this, 8);
  }
  [CUSTOM]() {
    const hex = bytesToHex(asBytes(this).subarray(0, 50)).replace(/..(?=.)/g, "$& ");
    const more = this.length - 50;
    return `<Buffer${hex === "" ? "" : ` ${hex}`}${more > 0 ? ` ... ${more} more byte${more > 1 ? "s" : ""}` : ""}>`;
  }
  static get [Symbol.species]() {
    return Buffer;
  }
}
Buffer.poolSize = 8192;
for (const name of Object.keys(CODECS)) {
  Buffer.prototype[`${name}Slice`] = function (start, end) {
    return this.toString(name, start, end);
  };
  Buffer.prototype[`${name}Write`] = function (text, offset, length) {
    return this.write(text, offset, length, name);
  };
}
for (const name of [...Object.keys(CODECS)].flatMap((codec) => [`${codec}Slice`, `${codec}Write`])) {
  Object.defineProperty(Buffer.prototype, name, { enumerable: false });
}
installNumbers(Buffer.prototype);

/** Returns how many bytes fit without cutting a character. */
function wholeCharacters(bytes, room) {
  let end = room;
  while (end > 0 && (bytes[end] & 0xc0) === 0x80) end--;
  return end;
}

function swap(buffer, width) {
  if (buffer.length % width !== 0) throw codedError(RangeError, "ERR_INVALID_BUFFER_SIZE", `Buffer size must be a multiple of ${width * 8}-bits`);
  for (let at = 0; at < buffer.length; at += width) asBytes(buffer).subarray(at, at + width).reverse();
  return buffer;
}

function search(buffer, value, offset, encoding, backwards) {
  if (typeof offset === "string") return search(buffer, value, undefined, offset, backwards);
  const haystack = asBytes(buffer);
  const given = Math.trunc(Number(offset));
  const start = offset === undefined || Number.isNaN(given) ? (backwards ? haystack.length : 0) : given < 0 ? haystack.length + given : given;
  if (typeof value === "number") {
    if (backwards) return start < 0 ? -1 : haystack.lastIndexOf(value & 255, start);
    return haystack.indexOf(value & 255, Math.max(start, 0));
  }
  if (typeof value !== "string" && !isBytes(value)) {
    throw wrongType('"value"', "one of type number or string or an instance of Buffer or Uint8Array", value);
  }
  const needle = typeof value === "string" ? codecOf(encoding).encode(value) : asBytes(value);
  const last = haystack.length - needle.length;
  if (needle.length === 0) return Math.min(Math.max(start, 0), haystack.length);
  const step = backwards ? -1 : 1;
  for (let at = backwards ? Math.min(start, last) : Math.max(start, 0); at >= 0 && at <= last; at += step) {
    let same = 0;
    while (same < needle.length && haystack[at + same] === needle[same]) same++;
    if (same === needle.length) return at;
  }
  return -1;
}

export const isUtf8 = (value) => {
  try {
    utf8Decode(isBytes(value) ? asBytes(value) : new Uint8Array(value), { fatal: true });
    return true;
  } catch {
    return false;
  }
};
export const isAscii = (value) => (isBytes(value) ? asBytes(value) : new Uint8Array(value)).every((byte) => byte < 0x80);
