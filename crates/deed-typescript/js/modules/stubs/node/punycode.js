// Made by make-exports.mjs: names of 'node:punycode' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:punycode", name);
export const decode = of("decode");
export const encode = of("encode");
export const toASCII = of("toASCII");
export const toUnicode = of("toUnicode");
export const ucs2 = of("ucs2");
export const version = of("version");
export default { decode, encode, toASCII, toUnicode, ucs2, version };
