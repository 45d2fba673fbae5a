// node:path.

import { posix, win32 } from "deed:paths";

export * from "deed:modules/stubs/node/path";

posix.posix = win32.posix = posix;
posix.win32 = win32.win32 = win32;

export const { _makeLong, basename, delimiter, dirname, extname, format, isAbsolute, join, matchesGlob, normalize, parse, relative, resolve, sep, toNamespacedPath } = posix;
export { posix, win32 };
export default posix;
