// node:util.

import { codedError } from "deed:errors";
import { format, inspect } from "deed:inspect";
import { isDeepStrictEqual } from "deed:deep-equal";
import { EventEmitter } from "deed:modules/node/events";
import { types } from "deed:modules/node/util/types";
import { parseArgs } from "deed:parse-args";
import { log } from "deed:native";
import { onAbort } from "deed:globals/events";

export * from "deed:modules/stubs/node/util";

const { TextDecoder, TextEncoder } = globalThis;
const CUSTOM_PROMISIFY = Symbol.for("nodejs.util.promisify.custom");

/** Makes a function that gives a promise of one that takes a callback last. */
export function promisify(original) {
  if (typeof original !== "function") throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", `The "original" argument must be of type function. Received ${original === undefined ? "undefined" : typeof original}`);
  if (original[CUSTOM_PROMISIFY]) return original[CUSTOM_PROMISIFY];
  const promised = function (...args) {
    return new Promise((resolve, reject) => {
      Reflect.apply(original, this, [...args, (error, ...values) => (error ? reject(error) : resolve(values[0]))]);
    });
  };
  Object.setPrototypeOf(promised, Object.getPrototypeOf(original));
  return Object.defineProperties(promised, { ...Object.getOwnPropertyDescriptors(original), [CUSTOM_PROMISIFY]: { value: promised, configurable: true } });
}
promisify.custom = CUSTOM_PROMISIFY;

/** Makes a function with a callback of one that gives a promise. */
export function callbackify(original) {
  return function (...args) {
    const callback = args.pop();
    Reflect.apply(original, this, args).then(
      (value) => queueMicrotask(() => callback(null, value)),
      (error) => queueMicrotask(() => callback(error ?? codedError(Error, "ERR_FALSY_VALUE_REJECTION", "Promise was rejected with falsy value", { reason: error }))),
    );
  };
}

const warned = new Set();
export function deprecate(original, message, code) {
  return function (...args) {
    if (!warned.has(code ?? message)) {
      warned.add(code ?? message);
      log("warn", `deprecated: ${message}`);
    }
    return new.target ? Reflect.construct(original, args, new.target) : Reflect.apply(original, this, args);
  };
}

export function inherits(constructor, parent) {
  Object.defineProperty(constructor, "super_", { value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(constructor.prototype, parent.prototype);
}

const ANSI = /[\u001b\u009b][[\]()#;?]*(?:(?:(?:(?:;[-a-zA-Z\d/#&.:=?%@~_]+)*|[a-zA-Z\d]+(?:;[-a-zA-Z\d/#&.:=?%@~_]*)*)?(?:\u0007|\u001b\\|\u009c))|(?:(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]))/g;
/** Takes the control sequences of terminals out of a text. */
export const stripVTControlCharacters = (text) => String(text).replace(ANSI, "");

export const toUSVString = (text) => String(text).toWellFormed();
export const debuglog = () => Object.assign(() => {}, { enabled: false });
export const debug = debuglog;
export const aborted = (signal) => new Promise((resolve) => onAbort(signal, () => resolve()));
export const getSystemErrorName = (number) => `E${number}`;

const STYLES = { bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], inverse: [7, 27], strikethrough: [9, 29], black: [30, 39], red: [31, 39], green: [32, 39], yellow: [33, 39], blue: [34, 39], magenta: [35, 39], cyan: [36, 39], white: [37, 39], gray: [90, 39], grey: [90, 39] };
/** Puts a text into a style of terminals, if it does not matter whether it goes to one. */
export function styleText(style, text, { validateStream = true } = {}) {
  const codes = [style].flat().map((name) => {
    if (!STYLES[name]) throw codedError(TypeError, "ERR_INVALID_ARG_VALUE", `The argument 'format' must be one of: ${Object.keys(STYLES).join(", ")}. Received '${name}'`);
    return STYLES[name];
  });
  if (validateStream) return text;
  return codes.reduceRight((shown, [on, off]) => `\u001b[${on}m${shown}\u001b[${off}m`, text);
}

export { format, inspect, isDeepStrictEqual, parseArgs, TextDecoder, TextEncoder, types };
export const formatWithOptions = (_options, ...args) => format(...args);
export const isArray = Array.isArray;
export const isError = (value) => value instanceof Error;
export const isString = (value) => typeof value === "string";
export const isFunction = (value) => typeof value === "function";
export const isRegExp = types.isRegExp;
export const isDate = types.isDate;
export const MIMEType = undefined;

export default { aborted, callbackify, debug, debuglog, deprecate, EventEmitter, format, formatWithOptions, getSystemErrorName, inherits, inspect, isArray, isDate, isDeepStrictEqual, isError, isFunction, isRegExp, isString, parseArgs, promisify, stripVTControlCharacters, styleText, TextDecoder, TextEncoder, toUSVString, types };
