// Made by make-exports.mjs: names of 'node:fs' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:fs", name);
export const Dir = of("Dir");
export const FileReadStream = of("FileReadStream");
export const FileWriteStream = of("FileWriteStream");
export const _toUnixTimestamp = of("_toUnixTimestamp");
export const chown = of("chown");
export const chownSync = of("chownSync");
export const fchmod = of("fchmod");
export const fchmodSync = of("fchmodSync");
export const fchown = of("fchown");
export const fchownSync = of("fchownSync");
export const fdatasync = of("fdatasync");
export const fdatasyncSync = of("fdatasyncSync");
export const futimes = of("futimes");
export const futimesSync = of("futimesSync");
export const glob = of("glob");
export const globSync = of("globSync");
export const lchmod = of("lchmod");
export const lchmodSync = of("lchmodSync");
export const lchown = of("lchown");
export const lchownSync = of("lchownSync");
export const lutimes = of("lutimes");
export const lutimesSync = of("lutimesSync");
export const openAsBlob = of("openAsBlob");
export const opendir = of("opendir");
export const readvSync = of("readvSync");
export const statfs = of("statfs");
export const statfsSync = of("statfsSync");
export const writev = of("writev");
export const writevSync = of("writevSync");
