// Made by make-exports.mjs: names of 'node:fs' that have no implementation.

import { stubs } from "deed:errors";

export const [Dir, FileReadStream, FileWriteStream, _toUnixTimestamp, chown, chownSync, fchmod, fchmodSync, fchown, fchownSync, fdatasync, fdatasyncSync, fsync, fsyncSync, ftruncate, ftruncateSync, futimes, futimesSync, glob, globSync, lchmod, lchmodSync, lchown, lchownSync, lutimes, lutimesSync, openAsBlob, opendir, readvSync, statfs, statfsSync, writev, writevSync] = stubs("node:fs", "Dir FileReadStream FileWriteStream _toUnixTimestamp chown chownSync fchmod fchmodSync fchown fchownSync fdatasync fdatasyncSync fsync fsyncSync ftruncate ftruncateSync futimes futimesSync glob globSync lchmod lchmodSync lchown lchownSync lutimes lutimesSync openAsBlob opendir readvSync statfs statfsSync writev writevSync");
