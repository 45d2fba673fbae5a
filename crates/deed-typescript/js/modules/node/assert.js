// node:assert.

import { isDeepEqual, isDeepStrictEqual } from "deed:deep-equal";
import { inspect } from "deed:inspect";

export * from "deed:modules/stubs/node/assert";

export class AssertionError extends Error {
  constructor({ message, actual, expected, operator }) {
    super(message ?? `${inspect(actual)} ${operator} ${inspect(expected)}`);
    this.name = "AssertionError";
    this.code = "ERR_ASSERTION";
    this.generatedMessage = message === undefined;
    Object.assign(this, { actual, expected, operator });
  }
}

function fails(message, actual, expected, operator, text) {
  if (message instanceof Error) throw message;
  const error = new AssertionError({ message: message ?? text, actual, expected, operator });
  error.generatedMessage = message === undefined;
  throw error;
}

const check = (test, operator, words) => (actual, expected, message) => {
  if (!test(actual, expected)) fails(message, actual, expected, operator, `${words}\n\n${inspect(actual)} !== ${inspect(expected)}\n`);
};
const loose = (a, b) => a == b || (Number.isNaN(a) && Number.isNaN(b));

export function ok(value, message) {
  if (!value) fails(message, value, true, "==", "The expression evaluated to a falsy value");
}
export const equal = check(loose, "==", "Expected values to be loosely equal:");
export const notEqual = check((a, b) => !loose(a, b), "!=", "Expected values not to be loosely equal:");
export const strictEqual = check(Object.is, "strictEqual", "Expected values to be strictly equal:");
export const notStrictEqual = check((a, b) => !Object.is(a, b), "notStrictEqual", "Expected \"actual\" to be strictly unequal to:");
export const deepEqual = check(isDeepEqual, "deepEqual", "Expected values to be loosely deep-equal:");
export const deepStrictEqual = check(isDeepStrictEqual, "deepStrictEqual", "Expected values to be strictly deep-equal:");
export const notDeepEqual = check((a, b) => !isDeepEqual(a, b), "notDeepEqual", "Expected values not to be loosely deep-equal:");
export const notDeepStrictEqual = check((a, b) => !isDeepStrictEqual(a, b), "notDeepStrictEqual", "Expected values not to be strictly deep-equal:");
export const match = check((text, pattern) => pattern.test(text), "match", "The input did not match the regular expression:");
export const doesNotMatch = check((text, pattern) => !pattern.test(text), "doesNotMatch", "The input was expected to not match the regular expression:");

export function fail(message = "Failed") {
  fails(message, undefined, undefined, "fail");
}
export function ifError(value) {
  if (value !== null && value !== undefined) throw value;
}

function matches(error, expected) {
  if (expected === undefined) return true;
  if (expected instanceof RegExp) return expected.test(String(error));
  if (typeof expected === "function") return expected.prototype !== undefined && error instanceof expected ? true : Error.isPrototypeOf(expected) ? false : expected(error) === true;
  return Object.keys(expected).every((key) => (expected[key] instanceof RegExp && typeof error[key] === "string" ? expected[key].test(error[key]) : isDeepStrictEqual(error[key], expected[key])));
}

function judge(error, expected, message) {
  if (typeof expected === "string") return;
  if (!matches(error, expected)) {
    if (typeof expected === "function" && (expected === Error || Error.isPrototypeOf(expected))) throw error;
    fails(message, error, expected, "throws", "The error did not match what was expected");
  }
}

export function throws(call, expected, message) {
  let thrown;
  try {
    call();
  } catch (error) {
    thrown = { error };
  }
  if (!thrown) fails((typeof expected === "string" ? expected : message) ?? "Missing expected exception.", undefined, expected, "throws");
  judge(thrown.error, expected, message);
}
export async function rejects(work, expected, message) {
  let thrown;
  try {
    await (typeof work === "function" ? work() : work);
  } catch (error) {
    thrown = { error };
  }
  if (!thrown) fails((typeof expected === "string" ? expected : message) ?? "Missing expected rejection.", undefined, expected, "rejects");
  judge(thrown.error, expected, message);
}
export function doesNotThrow(call, message) {
  try {
    call();
  } catch (error) {
    fails(typeof message === "string" ? message : undefined, error, undefined, "doesNotThrow", `Got unwanted exception.\nActual message: "${error?.message}"`);
  }
}
export async function doesNotReject(work, message) {
  try {
    await (typeof work === "function" ? work() : work);
  } catch (error) {
    fails(typeof message === "string" ? message : undefined, error, undefined, "doesNotReject", `Got unwanted rejection.\nActual message: "${error?.message}"`);
  }
}

const assert = (value, message) => ok(value, message);
const common = { AssertionError, deepStrictEqual, doesNotMatch, doesNotReject, doesNotThrow, fail, ifError, match, notDeepStrictEqual, notStrictEqual, ok, rejects, strictEqual, throws };
export const strict = Object.assign((value, message) => ok(value, message), common, { equal: strictEqual, notEqual: notStrictEqual, deepEqual: deepStrictEqual, notDeepEqual: notDeepStrictEqual });
strict.strict = strict;
export default Object.assign(assert, common, { equal, notEqual, deepEqual, notDeepEqual, strict });
