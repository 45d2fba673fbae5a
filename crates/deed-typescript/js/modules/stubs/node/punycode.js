// Made by make-exports.mjs: names of 'node:punycode' that have no implementation.

import { stubs } from "deed:errors";

export const [decode, encode, toASCII, toUnicode, ucs2, version] = stubs("node:punycode", "decode encode toASCII toUnicode ucs2 version");
export default { decode, encode, toASCII, toUnicode, ucs2, version };
