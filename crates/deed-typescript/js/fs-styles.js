// Makes functions of the table of file operations, in the three styles.

import { CALLS } from "deed:fs-calls";
import { fsError } from "deed:fs-errors";
import { op, opAsync } from "deed:native";

function blame(error, syscall, args) {
  // Two calls of node look at what is there first, or open it and fail later.
  if (syscall === "rm" && error.code === "ENOENT") return fsError(error, "lstat", args.path);
  if (syscall === "open" && error.code === "EISDIR" && args.data === undefined) return fsError(error, "read");
  return fsError(error, syscall, args.path ?? args.from ?? args.prefix ?? args.target, args.to);
}

/** Runs an operation and waits. */
export function callSync(name, ...given) {
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
  CALLS[name][2](...args);
  callAsync(name, ...args).then(
    (value) => queueMicrotask(() => callback(null, value)),
    (error) => queueMicrotask(() => callback(error)),
  );
}
