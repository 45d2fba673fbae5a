// Blob, File and FormData, held in memory.

import { utf8Decode, utf8Encode } from "deed:bytes";
import { ReadableStream } from "deed:globals/web-stream";

let bytesIn;

function bytesOfPart(part) {
  if (part instanceof Blob) return bytesIn(part);
  if (part instanceof ArrayBuffer) return new Uint8Array(part);
  if (ArrayBuffer.isView(part)) return new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
  return utf8Encode(String(part));
}

/** Puts bytes behind one another. */
export function joinBytes(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export class Blob {
  #bytes;
  #type;
  static {
    bytesIn = (blob) => blob.#bytes;
  }
  constructor(parts = [], options = {}) {
    this.#bytes = joinBytes([...parts].map(bytesOfPart));
    this.#type = String(options?.type ?? "").toLowerCase();
  }
  get size() {
    return this.#bytes.length;
  }
  get type() {
    return this.#type;
  }
  async arrayBuffer() {
    return this.#bytes.slice().buffer;
  }
  async bytes() {
    return this.#bytes.slice();
  }
  async text() {
    return utf8Decode(this.#bytes).text;
  }
  slice(start, end, type = "") {
    return new Blob([this.#bytes.slice(start, end)], { type });
  }
  stream() {
    return ReadableStream.from([this.#bytes.slice()]);
  }
}

export class File extends Blob {
  #name;
  #lastModified;
  constructor(parts, name, options = {}) {
    super(parts, options);
    this.#name = String(name);
    this.#lastModified = options?.lastModified ?? Date.now();
  }
  get name() {
    return this.#name;
  }
  get lastModified() {
    return this.#lastModified;
  }
}

export class FormData {
  #list = [];
  append(name, value, filename) {
    this.#list.push([String(name), entryOf(value, filename)]);
  }
  set(name, value, filename) {
    this.delete(name);
    this.append(name, value, filename);
  }
  delete(name) {
    this.#list = this.#list.filter(([key]) => key !== String(name));
  }
  get(name) {
    return this.#list.find(([key]) => key === String(name))?.[1] ?? null;
  }
  getAll(name) {
    return this.#list.filter(([key]) => key === String(name)).map(([, value]) => value);
  }
  has(name) {
    return this.#list.some(([key]) => key === String(name));
  }
  forEach(callback, self) {
    for (const [name, value] of this.#list) callback.call(self, value, name, this);
  }
  *entries() {
    yield* this.#list.map((pair) => [...pair]);
  }
  *keys() {
    for (const [name] of this.#list) yield name;
  }
  *values() {
    for (const [, value] of this.#list) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
}

function entryOf(value, filename) {
  if (!(value instanceof Blob)) return String(value);
  if (value instanceof File && filename === undefined) return value;
  return new File([value], filename ?? "blob", { type: value.type });
}

const escapeName = (name) => name.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22");

/** Writes a form as the body of a request. */
export function encodeForm(form) {
  const boundary = `----deed-form-${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`;
  const parts = [];
  for (const [name, value] of form) {
    const file = value instanceof File ? `; filename="${escapeName(value.name)}"` : "";
    const type = value instanceof File ? `\r\nContent-Type: ${value.type || "application/octet-stream"}` : "";
    parts.push(utf8Encode(`--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"${file}${type}\r\n\r\n`));
    parts.push(bytesOfPart(value), utf8Encode("\r\n"));
  }
  parts.push(utf8Encode(`--${boundary}--\r\n`));
  return { bytes: joinBytes(parts), type: `multipart/form-data; boundary=${boundary}` };
}
export { bytesOfPart };
