// Made by make-exports.mjs: names of 'node:fs/promises' that have no implementation.

import { stubs } from "deed:errors";

export const [chown, glob, lchmod, lchown, lutimes, statfs] = stubs("node:fs/promises", "chown glob lchmod lchown lutimes statfs");
