// Equality of values by what is in them, strict and loose.

const kindOf = (value) => Object.prototype.toString.call(value);

function sameItems(left, right, strict, seen) {
  const keys = Reflect.ownKeys(left).filter((key) => Object.prototype.propertyIsEnumerable.call(left, key));
  const others = Reflect.ownKeys(right).filter((key) => Object.prototype.propertyIsEnumerable.call(right, key));
  if (keys.length !== others.length) return false;
  return keys.every((key) => Object.prototype.propertyIsEnumerable.call(right, key) && same(left[key], right[key], strict, seen));
}

function sameSets(left, right, strict, seen) {
  if (left.size !== right.size) return false;
  const rest = [...right];
  for (const item of left) {
    const at = rest.findIndex((other) => same(item, other, strict, seen));
    if (at < 0) return false;
    rest.splice(at, 1);
  }
  return true;
}

function sameObjects(left, right, strict, seen) {
  if (kindOf(left) !== kindOf(right)) return false;
  if (strict && Object.getPrototypeOf(left) !== Object.getPrototypeOf(right)) return false;
  if (Array.isArray(left) !== Array.isArray(right) || (Array.isArray(left) && left.length !== right.length)) return false;
  if (left instanceof Date && !Object.is(left.getTime(), right.getTime())) return false;
  if (left instanceof RegExp && String(left) !== String(right)) return false;
  if (left instanceof Error && (left.message !== right.message || left.name !== right.name)) return false;
  for (const Kind of [Number, String, Boolean, BigInt, Symbol]) {
    if (left instanceof Kind && !Object.is(left.valueOf(), right.valueOf())) return false;
  }
  if (left instanceof Set) return sameSets(left, right, strict, seen);
  if (left instanceof Map) return sameSets(new Set(left), new Set(right), strict, seen);
  if (left instanceof WeakMap || left instanceof WeakSet || left instanceof Promise || typeof left === "function") return false;
  return sameItems(left, right, strict, seen);
}

function same(left, right, strict, seen) {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return strict ? false : left == right || (Number.isNaN(left) && Number.isNaN(right));
  }
  if (seen.some(([a, b]) => a === left && b === right)) return true;
  return sameObjects(left, right, strict, [...seen, [left, right]]);
}

/** Tells whether two values are equal in all that is in them, types and prototypes included. */
export const isDeepStrictEqual = (left, right) => same(left, right, true, []);
/** Tells whether two values are equal in what is in them, primitives by `==`. */
export const isDeepEqual = (left, right) => same(left, right, false, []);
