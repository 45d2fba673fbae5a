// Every operation on files, once: how its arguments become those of the host, and what its answer
// becomes. The three styles of node's fs (waiting, callback, promise) are made from this table.

import { utf8Encode } from "deed:bytes";
import { codedError, received } from "deed:errors";
import { Dirent, Stats } from "deed:fs-types";
import { Buffer, encodingName } from "deed:globals/buffer";
import { fromBase64, toBase64 } from "deed:native";
import { fileURLToPath } from "deed:modules/node/url";

const { URL } = globalThis;

/** Reads a path in any of its forms. */
export function pathOf(value, name = "path") {
  if (typeof value === "string") {
    if (value.includes("\0")) throw codedError(TypeError, "ERR_INVALID_ARG_VALUE", `The argument '${name}' must be a string, Uint8Array, or URL without null bytes.`);
    return value;
  }
  if (value instanceof URL) return fileURLToPath(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", `The "${name}" argument must be of type string or an instance of Buffer or URL. ${received(value)}`);
}

const optionsOf = (options) => (typeof options === "string" ? { encoding: options } : (options ?? {}));

/** Makes text of bytes if an encoding was named. */
export const decoded = (bytes, encoding) => (encoding && encoding !== "buffer" ? Buffer.view(bytes).toString(encoding) : Buffer.view(bytes));

/** Makes what the host writes of text or bytes. */
export function contentOf(data, encoding) {
  if (typeof data === "string") {
    if (encodingName(encoding) === "utf8") return { data: data.toWellFormed(), encoding: "utf8" };
    return { data: toBase64(Buffer.from(data, encoding)), encoding: "base64" };
  }
  if (ArrayBuffer.isView(data)) return { data: toBase64(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)), encoding: "base64" };
  if (data instanceof ArrayBuffer) return { data: toBase64(new Uint8Array(data)), encoding: "base64" };
  throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", `The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. ${received(data)}`);
}

/** Makes bytes of text or bytes. */
export const bytesFor = (data, encoding) => (typeof data === "string" ? Buffer.from(data, encoding ?? "utf8") : Buffer.from(data.buffer, data.byteOffset, data.byteLength));

const modeOf = (mode) => (typeof mode === "string" ? Number.parseInt(mode, 8) : mode);
const msOf = (time) => (time instanceof Date ? time.getTime() : Number(time) * 1000);
const isUtf8 = (encoding) => encoding && encodingName(encoding) === "utf8";

function writing(flag) {
  return (target, data, options) => {
    const { encoding = "utf8", mode, flag: given } = optionsOf(options);
    return { path: pathOf(target), ...contentOf(data, encoding), flag: given ?? flag, mode: modeOf(mode) };
  };
}

const path1 = (path) => ({ path: pathOf(path) });
const two = (from, to) => ({ from: pathOf(from, "src"), to: pathOf(to, "dest") });
const nothing = () => undefined;
const stats = (answer, _args, options) => new Stats(answer, Boolean(options?.bigint));

/** name: [operation, system call, arguments → host, answer → caller]. */
export const CALLS = {
  access: ["access", "access", (path, mode = 0) => ({ path: pathOf(path), mode }), nothing],
  appendFile: ["writeFile", "open", writing("a"), nothing],
  chmod: ["chmod", "chmod", (path, mode) => ({ path: pathOf(path), mode: modeOf(mode) }), nothing],
  copyFile: ["copyFile", "copyfile", (from, to, mode = 0) => ({ ...two(from, to), exclusive: (mode & 1) === 1 }), nothing],
  cp: ["cp", "cp", (from, to, options) => ({ ...two(from, to), recursive: Boolean(options?.recursive), force: options?.force ?? true, errorOnExist: Boolean(options?.errorOnExist) }), nothing],
  link: ["link", "link", two, nothing],
  lstat: ["stat", "lstat", (path) => ({ path: pathOf(path), follow: false }), (answer, args) => stats(answer, args, args[1])],
  mkdir: ["mkdir", "mkdir", (path, options) => ({ path: pathOf(path), recursive: Boolean(options?.recursive), mode: modeOf(typeof options === "object" ? options?.mode : options) }), (answer) => answer?.first ?? undefined],
  mkdtemp: ["mkdtemp", "mkdtemp", (prefix) => ({ prefix: pathOf(prefix, "prefix") }), (answer) => answer.path],
  readdir: ["readdir", "scandir", (path, options) => ({ path: pathOf(path), recursive: Boolean(options?.recursive) }), listing],
  readFile: ["readFile", "open", (target, options) => ({ path: pathOf(target), encoding: isUtf8(optionsOf(options).encoding) ? "utf8" : "base64" }), readAnswer],
  readlink: ["readlink", "readlink", path1, (answer) => answer.target],
  realpath: ["realpath", "realpath", path1, (answer) => answer.path],
  rename: ["rename", "rename", two, nothing],
  rm: ["rm", "rm", (path, options) => ({ path: pathOf(path), recursive: Boolean(options?.recursive), force: Boolean(options?.force) }), nothing],
  rmdir: ["rmdir", "rmdir", (path, options) => ({ path: pathOf(path), recursive: Boolean(options?.recursive) }), nothing],
  stat: ["stat", "stat", (path) => ({ path: pathOf(path), follow: true }), (answer, args) => stats(answer, args, args[1])],
  symlink: ["symlink", "symlink", (target, path) => ({ target: pathOf(target, "target"), path: pathOf(path) }), nothing],
  truncate: ["truncate", "open", (path, length = 0) => ({ path: pathOf(path), length }), nothing],
  unlink: ["unlink", "unlink", path1, nothing],
  utimes: ["utimes", "utime", (path, atime, mtime) => ({ path: pathOf(path), atimeMs: msOf(atime), mtimeMs: msOf(mtime) }), nothing],
  writeFile: ["writeFile", "open", writing("w"), nothing],
  open: ["open", "open", (path, flags = "r", mode = 0o666) => ({ path: pathOf(path), flags: String(flags), mode: modeOf(mode) }), (answer) => answer.fd],
  close: ["close", "close", (fd) => ({ fd }), nothing],
  fstat: ["fstat", "fstat", (fd) => ({ fd }), (answer, args) => stats(answer, args, args[1])],
};

function readAnswer({ data }, [, options]) {
  const { encoding } = optionsOf(options);
  return isUtf8(encoding) ? data : decoded(fromBase64(data), encoding);
}

function listing({ entries }, [path, options]) {
  const base = pathOf(path);
  const { withFileTypes, encoding } = optionsOf(options);
  return entries.map(({ name, kind, parent = base }) => {
    if (withFileTypes) return new Dirent(name, kind, parent);
    const inside = parent === base ? "" : `${parent.slice(base.length).replace(/^\//, "")}/`;
    return encoding === "buffer" ? Buffer.view(utf8Encode(inside + name)) : inside + name;
  });
}
