// Reading and writing open files.

import { Buffer } from "deed:globals/buffer";
import { fromBase64, op, opAsync, toBase64 } from "deed:native";

function readArgs(fd, buffer, offset, length, position) {
  const options = typeof offset === "object" && offset !== null ? offset : { offset, length, position };
  const at = options.offset ?? 0;
  return { at, args: { fd, length: options.length ?? buffer.byteLength - at, position: options.position ?? null } };
}

const put = (buffer, at, { base64 }) => {
  const bytes = fromBase64(base64);
  new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength).set(bytes, at);
  return bytes.length;
};

export function readSync(fd, buffer, offset, length, position) {
  const { at, args } = readArgs(fd, buffer, offset, length, position);
  return put(buffer, at, op("fs.read", args));
}

export function read(fd, buffer, ...rest) {
  const callback = rest.pop();
  const { at, args } = readArgs(fd, buffer, ...rest);
  opAsync("fs.read", args).then((answer) => callback(null, put(buffer, at, answer), buffer), callback);
}

export function readv(fd, buffers, ...rest) {
  const callback = rest.pop();
  let total = 0;
  for (const buffer of buffers) total += readSync(fd, buffer);
  callback(null, total, buffers);
}

function writeArgs(fd, data, ...rest) {
  if (typeof data === "string") {
    const [position, encoding] = rest;
    return { fd, base64: toBase64(Buffer.from(data, encoding)), position: position ?? null };
  }
  const options = typeof rest[0] === "object" && rest[0] !== null ? rest[0] : { offset: rest[0], length: rest[1], position: rest[2] };
  const at = options.offset ?? 0;
  const bytes = new Uint8Array(data.buffer, data.byteOffset + at, options.length ?? data.byteLength - at);
  return { fd, base64: toBase64(bytes), position: options.position ?? null };
}

export const writeSync = (...args) => op("fs.write", writeArgs(...args)).written;

export function write(fd, data, ...rest) {
  const callback = rest.pop();
  opAsync("fs.write", writeArgs(fd, data, ...rest)).then(({ written }) => callback(null, written, data), callback);
}
