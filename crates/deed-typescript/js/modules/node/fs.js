// node:fs: the table of operations in all styles, streams, descriptors and watching.

import { pathOf } from "deed:fs-calls";
import { read, readSync, readv, write, writeSync } from "deed:fs-descriptors";
import { callAsync, callBack, callSync } from "deed:fs-styles";
import { createReadStream, createWriteStream, ReadStream, WriteStream } from "deed:fs-streams";
import { constants, Dirent, Stats } from "deed:fs-types";
import { unwatchFile, watch, watchFile } from "deed:fs-watch";
import { guarded } from "deed:errors";
import * as promises from "deed:modules/node/fs/promises";

export * from "deed:modules/stubs/node/fs";

const sync = (name) => Object.defineProperty((...args) => callSync(name, ...args), "name", { value: `${name}Sync` });
const back = (name) => Object.defineProperty((...args) => callBack(name, ...args), "name", { value: name });

export const accessSync = sync("access");
export const appendFileSync = sync("appendFile");
export const chmodSync = sync("chmod");
export const closeSync = sync("close");
export const copyFileSync = sync("copyFile");
export const cpSync = sync("cp");
export const fstatSync = sync("fstat");
export const linkSync = sync("link");
export const mkdirSync = sync("mkdir");
export const mkdtempSync = sync("mkdtemp");
export const openSync = sync("open");
export const readdirSync = sync("readdir");
export const readFileSync = sync("readFile");
export const readlinkSync = sync("readlink");
export const realpathSync = Object.assign(sync("realpath"), { native: sync("realpath") });
export const renameSync = sync("rename");
export const rmdirSync = sync("rmdir");
export const rmSync = sync("rm");
export const symlinkSync = sync("symlink");
export const truncateSync = sync("truncate");
export const unlinkSync = sync("unlink");
export const utimesSync = sync("utimes");
export const writeFileSync = sync("writeFile");

const quietly = (name) => (path, options) => {
  try {
    return callSync(name, path, options);
  } catch (error) {
    if (options?.throwIfNoEntry === false && (error.code === "ENOENT" || error.code === "ENOTDIR")) return undefined;
    throw error;
  }
};
export const statSync = quietly("stat");
export const lstatSync = quietly("lstat");

export function existsSync(path) {
  try {
    callSync("access", path);
    return true;
  } catch {
    return false;
  }
}
export function exists(path, callback) {
  callAsync("access", path).then(() => callback(true), () => callback(false));
}

export const access = back("access");
export const appendFile = back("appendFile");
export const chmod = back("chmod");
export const close = (fd, callback = () => {}) => callBack("close", fd, callback);
export const copyFile = back("copyFile");
export const cp = back("cp");
export const fstat = back("fstat");
export const link = back("link");
export const lstat = back("lstat");
export const mkdir = back("mkdir");
export const mkdtemp = back("mkdtemp");
export const open = back("open");
export const readdir = back("readdir");
export const readFile = back("readFile");
export const readlink = back("readlink");
export const realpath = Object.assign(back("realpath"), { native: back("realpath") });
export const rename = back("rename");
export const rm = back("rm");
export const rmdir = back("rmdir");
export const stat = back("stat");
export const symlink = back("symlink");
export const truncate = back("truncate");
export const unlink = back("unlink");
export const utimes = back("utimes");
export const writeFile = back("writeFile");

export function opendirSync(path) {
  const entries = callSync("readdir", path, { withFileTypes: true });
  return {
    path: pathOf(path),
    readSync: () => entries.shift() ?? null,
    read: async () => entries.shift() ?? null,
    closeSync() {},
    async close() {},
    async *[Symbol.asyncIterator]() {
      yield* entries.splice(0);
    },
  };
}

export const { F_OK, R_OK, W_OK, X_OK } = constants;
export { constants, createReadStream, createWriteStream, Dirent, promises, read, ReadStream, readSync, readv, Stats, unwatchFile, watch, watchFile, write, WriteStream, writeSync };

const all = { accessSync, appendFileSync, chmodSync, closeSync, copyFileSync, cpSync, fstatSync, linkSync, mkdirSync, mkdtempSync, openSync, opendirSync, readdirSync, readFileSync, readlinkSync, realpathSync, renameSync, rmdirSync, rmSync, symlinkSync, truncateSync, unlinkSync, utimesSync, writeFileSync, statSync, lstatSync, existsSync, exists, access, appendFile, chmod, close, copyFile, cp, fstat, link, lstat, mkdir, mkdtemp, open, readdir, readFile, readlink, realpath, rename, rm, rmdir, stat, symlink, truncate, unlink, utimes, writeFile, F_OK, R_OK, W_OK, X_OK, constants, createReadStream, createWriteStream, Dirent, promises, read, ReadStream, readSync, readv, Stats, unwatchFile, watch, watchFile, write, WriteStream, writeSync };
export default guarded(all, "fs");
