// node:path/win32.

import { posix, win32 } from "deed:modules/node/path";

export const { _makeLong, basename, delimiter, dirname, extname, format, isAbsolute, join, matchesGlob, normalize, parse, relative, resolve, sep, toNamespacedPath } = win32;
export { posix, win32 };
export default win32;
