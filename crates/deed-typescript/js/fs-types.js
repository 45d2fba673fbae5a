// Stats, Dirent and the constants of node's fs.

const KIND_BITS = { fifo: 0o010000, char: 0o020000, dir: 0o040000, block: 0o060000, file: 0o100000, symlink: 0o120000, socket: 0o140000 };

class Kind {
  #kind;
  constructor(kind) {
    this.#kind = kind;
  }
  isFile() {
    return this.#kind === "file";
  }
  isDirectory() {
    return this.#kind === "dir";
  }
  isSymbolicLink() {
    return this.#kind === "symlink";
  }
  isFIFO() {
    return this.#kind === "fifo";
  }
  isSocket() {
    return this.#kind === "socket";
  }
  isCharacterDevice() {
    return this.#kind === "char";
  }
  isBlockDevice() {
    return this.#kind === "block";
  }
}

const NUMBERS = ["dev", "mode", "nlink", "uid", "gid", "blksize", "ino", "size", "blocks"];
const TIMES = ["atime", "mtime", "ctime", "birthtime"];

export class Stats extends Kind {
  constructor(answer, big = false) {
    super(answer.kind);
    const number = big ? (value) => BigInt(Math.trunc(value)) : (value) => value;
    for (const name of NUMBERS) this[name] = number(answer[name] ?? 0);
    if ((answer.mode & 0o170000) === 0) this.mode = number((answer.mode ?? 0) | (KIND_BITS[answer.kind] ?? 0));
    for (const name of TIMES) this[`${name}Ms`] = number(answer[`${name}Ms`] ?? 0);
    if (big) for (const name of TIMES) this[`${name}Ns`] = BigInt(Math.trunc((answer[`${name}Ms`] ?? 0) * 1e6));
    for (const name of TIMES) this[name] = new Date(answer[`${name}Ms`] ?? 0);
  }
}

export class Dirent extends Kind {
  constructor(name, kind, parent) {
    super(kind);
    this.name = name;
    this.parentPath = parent;
    this.path = parent;
  }
}

export const constants = {
  F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1,
  COPYFILE_EXCL: 1, COPYFILE_FICLONE: 2, COPYFILE_FICLONE_FORCE: 4,
  O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024,
  S_IFMT: 0o170000, S_IFREG: KIND_BITS.file, S_IFDIR: KIND_BITS.dir, S_IFLNK: KIND_BITS.symlink, S_IFCHR: KIND_BITS.char, S_IFBLK: KIND_BITS.block, S_IFIFO: KIND_BITS.fifo, S_IFSOCK: KIND_BITS.socket,
  S_IRUSR: 0o400, S_IWUSR: 0o200, S_IXUSR: 0o100, S_IRWXU: 0o700, S_IRGRP: 0o40, S_IWGRP: 0o20, S_IXGRP: 0o10, S_IRWXG: 0o70, S_IROTH: 4, S_IWOTH: 2, S_IXOTH: 1, S_IRWXO: 7,
};
