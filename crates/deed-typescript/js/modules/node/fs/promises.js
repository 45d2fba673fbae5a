// node:fs/promises.

import { contentOf, decoded } from "deed:fs-calls";
import { constants, Stats } from "deed:fs-types";
import { callAsync } from "deed:fs-styles";
import { fromBase64, opAsync, toBase64 } from "deed:native";
import { createReadStream, createWriteStream } from "deed:fs-streams";
import { watchAsync } from "deed:fs-watch";
import { createInterface } from "deed:modules/node/readline";
import { guarded } from "deed:errors";

export * from "deed:modules/stubs/node/fs/promises";

const promised = (name) => Object.defineProperty((...args) => callAsync(name, ...args), "name", { value: name });

export const access = promised("access");
export const chmod = promised("chmod");
export const copyFile = promised("copyFile");
export const cp = promised("cp");
export const link = promised("link");
export const lstat = promised("lstat");
export const mkdir = promised("mkdir");
export const mkdtemp = promised("mkdtemp");
export const readdir = promised("readdir");
export const readlink = promised("readlink");
export const realpath = promised("realpath");
export const rename = promised("rename");
export const rm = promised("rm");
export const rmdir = promised("rmdir");
export const stat = promised("stat");
export const symlink = promised("symlink");
export const truncate = promised("truncate");
export const unlink = promised("unlink");
export const utimes = promised("utimes");

const targetOf = (target) => (target instanceof FileHandle ? target.fd : target);

async function collect(data) {
  if (typeof data === "string" || ArrayBuffer.isView(data) || !data || typeof data !== "object") return data;
  if (!data[Symbol.asyncIterator] && !data[Symbol.iterator]) return data;
  const parts = [];
  for await (const part of data) parts.push(typeof part === "string" ? globalThis.Buffer.from(part) : part);
  return globalThis.Buffer.concat(parts);
}

export async function readFile(target, options) {
  options?.signal?.throwIfAborted();
  return callAsync("readFile", targetOf(target), options);
}
export async function writeFile(target, data, options) {
  options?.signal?.throwIfAborted();
  return callAsync("writeFile", targetOf(target), await collect(data), options);
}
export async function appendFile(target, data, options) {
  return callAsync("appendFile", targetOf(target), data, options);
}

/** An open file. */
export class FileHandle {
  constructor(fd) {
    this.fd = fd;
  }
  async read(buffer, offset, length, position) {
    const options = ArrayBuffer.isView(buffer) ? (typeof offset === "object" && offset !== null ? { buffer, ...offset } : { buffer, offset, length, position }) : { buffer: globalThis.Buffer.alloc(16384), ...buffer };
    const at = options.offset ?? 0;
    const { base64 } = await opAsync("fs.read", { fd: this.fd, length: options.length ?? options.buffer.byteLength - at, position: options.position ?? null });
    const bytes = fromBase64(base64);
    options.buffer.set(bytes, at);
    return { bytesRead: bytes.length, buffer: options.buffer };
  }
  async write(data, offsetOrPosition, lengthOrEncoding, position) {
    const isText = typeof data === "string";
    const bytes = isText ? globalThis.Buffer.from(data, lengthOrEncoding) : data.subarray(offsetOrPosition ?? 0, (offsetOrPosition ?? 0) + (lengthOrEncoding ?? data.length));
    const { written } = await opAsync("fs.write", { fd: this.fd, base64: toBase64(bytes), position: (isText ? offsetOrPosition : position) ?? null });
    return { bytesWritten: written, buffer: data };
  }
  async readFile(options) {
    const parts = [];
    for (;;) {
      const { bytesRead, buffer } = await this.read({ length: 16384 });
      if (bytesRead === 0) break;
      parts.push(buffer.subarray(0, bytesRead));
    }
    return decoded(globalThis.Buffer.concat(parts), typeof options === "string" ? options : options?.encoding);
  }
  async writeFile(data, options) {
    const { data: text, encoding } = contentOf(data, typeof options === "string" ? options : (options?.encoding ?? "utf8"));
    await this.write(encoding === "utf8" ? globalThis.Buffer.from(text) : globalThis.Buffer.from(text, "base64"));
  }
  appendFile(data, options) {
    return this.writeFile(data, options);
  }
  async stat() {
    return new Stats(await opAsync("fs.fstat", { fd: this.fd }));
  }
  /** What was written is with the system already. */
  async sync() {}
  async datasync() {}
  createReadStream(options) {
    return createReadStream(null, { ...options, fd: this.fd });
  }
  createWriteStream(options) {
    return createWriteStream(null, { ...options, fd: this.fd });
  }
  readLines(options) {
    return createInterface({ input: this.createReadStream(options), crlfDelay: Infinity });
  }
  async close() {
    if (this.fd < 0) return;
    const { fd } = this;
    this.fd = -1;
    await callAsync("close", fd);
  }
  async [Symbol.asyncDispose]() {
    await this.close();
  }
}

export async function open(path, flags, mode) {
  return new FileHandle(await callAsync("open", path, flags, mode));
}

export async function opendir(path) {
  const entries = await readdir(path, { withFileTypes: true });
  return { path, read: async () => entries.shift() ?? null, async close() {}, async *[Symbol.asyncIterator]() { yield* entries.splice(0); } };
}

export const watch = watchAsync;
export { constants };
export default guarded({ access, appendFile, chmod, constants, copyFile, cp, link, lstat, mkdir, mkdtemp, open, opendir, readdir, readFile, readlink, realpath, rename, rm, rmdir, stat, symlink, truncate, unlink, utimes, watch, writeFile }, "fs.promises");
