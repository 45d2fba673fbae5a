// Errors of files and processes, in node's words.

/** What a code means, and its number on Linux. */
const CODES = {
  EPERM: [1, "operation not permitted"],
  ENOENT: [2, "no such file or directory"],
  EIO: [5, "i/o error"],
  EBADF: [9, "bad file descriptor"],
  EACCES: [13, "permission denied"],
  EBUSY: [16, "resource busy or locked"],
  EEXIST: [17, "file already exists"],
  EXDEV: [18, "cross-device link not permitted"],
  ENOTDIR: [20, "not a directory"],
  EISDIR: [21, "illegal operation on a directory"],
  EINVAL: [22, "invalid argument"],
  EMFILE: [24, "too many open files"],
  EFBIG: [27, "file too large"],
  ENOSPC: [28, "no space left on device"],
  EROFS: [30, "read-only file system"],
  EPIPE: [32, "broken pipe"],
  ENAMETOOLONG: [36, "name too long"],
  ENOTEMPTY: [39, "directory not empty"],
  ELOOP: [40, "too many symbolic links encountered"],
  ETIMEDOUT: [110, "connection timed out"],
};

/** Makes an error as node's fs throws it of one that the host gave; others stay as they are. */
export function fsError(error, syscall, path, dest) {
  const known = CODES[error?.code];
  if (!known) return error;
  const place = path === undefined ? "" : ` '${path}'${dest === undefined ? "" : ` -> '${dest}'`}`;
  const made = new Error(`${error.code}: ${known[1]}, ${syscall}${place}`);
  Object.assign(made, { errno: -known[0], code: error.code, syscall });
  if (path !== undefined) made.path = path;
  if (dest !== undefined) made.dest = dest;
  return made;
}

/** Makes an error as node's child_process gives it when a program cannot be started. */
export function spawnError(error, syscall, command, args) {
  const known = CODES[error?.code];
  if (!known) return error;
  return Object.assign(new Error(`${syscall} ${command} ${error.code}`), { errno: -known[0], code: error.code, syscall: `${syscall} ${command}`, path: command, spawnargs: args });
}
