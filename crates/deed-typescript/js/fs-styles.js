// Makes functions of the table of file operations, in the three styles.

import { bytesFor, CALLS, decoded } from "deed:fs-calls";
import { fsError } from "deed:fs-errors";
import { Buffer } from "deed:globals/buffer";
import { fromBase64, op, opAsync, toBase64 } from "deed:native";

const PIECE_BYTES = 64 * 1024;
/** What also works on an open file: from where it stands, without truncating. */
const ON_OPEN_FILES = new Set(["readFile", "writeFile", "appendFile"]);
const isOpenFile = (name, [target]) => typeof target === "number" && ON_OPEN_FILES.has(name);
const piece = (fd) => ({ fd, length: PIECE_BYTES, position: null });
const encodingOf = (options) => (typeof options === "string" ? options : options?.encoding);
const writeArgs = (fd, data, options) => ({ fd, base64: toBase64(bytesFor(data, encodingOf(options))), position: null });

function openFileSync(name, [fd, data, options]) {
  if (name !== "readFile") return void op("fs.write", writeArgs(fd, data, options));
  const parts = [];
  for (let bytes; bytes?.length !== 0; parts.push(bytes)) bytes = fromBase64(op("fs.read", piece(fd)).base64);
  return decoded(Buffer.concat(parts), encodingOf(data));
}

async function openFile(name, [fd, data, options]) {
  if (name !== "readFile") return void (await opAsync("fs.write", writeArgs(fd, data, options)));
  const parts = [];
  for (let bytes; bytes?.length !== 0; parts.push(bytes)) bytes = fromBase64((await opAsync("fs.read", piece(fd))).base64);
  return decoded(Buffer.concat(parts), encodingOf(data));
}

function blame(error, syscall, args) {
  // Two calls of node look at what is there first, or open it and fail later.
  if (syscall === "rm" && error.code === "ENOENT") return fsError(error, "lstat", args.path);
  if (syscall === "open" && error.code === "EISDIR" && args.data === undefined) return fsError(error, "read");
  return fsError(error, syscall, args.path ?? args.from ?? args.prefix ?? args.target, args.to);
}

/** Runs an operation and waits. */
export function callSync(name, ...given) {
  if (isOpenFile(name, given)) return openFileSync(name, given);
  const [operation, syscall, toHost, fromHost] = CALLS[name];
  const args = toHost(...given);
  try {
    return fromHost(op(`fs.${operation}`, args), given);
  } catch (error) {
    throw blame(error, syscall, args);
  }
}

/** Runs an operation; wrong arguments reject, too. */
export async function callAsync(name, ...given) {
  if (isOpenFile(name, given)) return openFile(name, given);
  const [operation, syscall, toHost, fromHost] = CALLS[name];
  const args = toHost(...given);
  try {
    return fromHost(await opAsync(`fs.${operation}`, args), given);
  } catch (error) {
    throw blame(error, syscall, args);
  }
}

/** Runs an operation and calls back; wrong arguments throw. */
export function callBack(name, ...given) {
  const at = given.findLastIndex((value) => typeof value === "function");
  const callback = given[at];
  if (!callback) {
    throw Object.assign(new TypeError('The "cb" argument must be of type function. Received undefined'), { code: "ERR_INVALID_ARG_TYPE" });
  }
  const args = given.slice(0, at);
  if (!isOpenFile(name, args)) CALLS[name][2](...args);
  callAsync(name, ...args).then(
    (value) => queueMicrotask(() => callback(null, value)),
    (error) => queueMicrotask(() => callback(error)),
  );
}
