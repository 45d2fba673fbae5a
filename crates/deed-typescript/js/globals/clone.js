// structuredClone, by value: primitives, plain objects, arrays, dates, expressions, maps, sets,
// errors, buffers and views. What cannot be copied throws DataCloneError.

const ERRORS = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
const BOXED = [Boolean, Number, String, BigInt];

function refuse(value) {
  const shown = typeof value === "symbol" ? value.toString() : typeof value === "function" ? String(value).slice(0, 60) : "#<Object>";
  throw new DOMException(`${shown} could not be cloned.`, "DataCloneError");
}

function copyBuffer(buffer, seen) {
  const copy = buffer.slice(0);
  seen.set(buffer, copy);
  return copy;
}

function copyView(view, seen) {
  const buffer = copy(view.buffer, seen);
  if (view instanceof DataView) return new DataView(buffer, view.byteOffset, view.byteLength);
  const Kind = Object.getPrototypeOf(Object.getPrototypeOf(view)) === Uint8Array.prototype ? Uint8Array : view.constructor;
  return new Kind(buffer, view.byteOffset, view.length);
}

function copyError(error, seen) {
  const Kind = ERRORS[error.name] ?? Error;
  const clone = Object.create(Kind.prototype);
  seen.set(error, clone);
  const hidden = (key, value) => Object.defineProperty(clone, key, { value, writable: true, configurable: true });
  hidden("message", String(error.message));
  hidden("stack", error.stack);
  if (Object.hasOwn(error, "cause")) hidden("cause", copy(error.cause, seen));
  return clone;
}

function copyInto(target, source, seen) {
  for (const key of Object.keys(source)) target[key] = copy(source[key], seen);
  return target;
}

function copy(value, seen) {
  if (typeof value === "function" || typeof value === "symbol") refuse(value);
  if (typeof value !== "object" || value === null) return value;
  if (seen.has(value)) return seen.get(value);
  const remember = (clone) => {
    seen.set(value, clone);
    return clone;
  };
  if (Array.isArray(value)) {
    const clone = remember(new Array(value.length));
    return copyInto(clone, value, seen);
  }
  if (value instanceof Date) return remember(new Date(value.getTime()));
  if (value instanceof RegExp) return remember(new RegExp(value.source, value.flags));
  if (value instanceof ArrayBuffer) return copyBuffer(value, seen);
  if (ArrayBuffer.isView(value)) return remember(copyView(value, seen));
  if (value instanceof Error) return copyError(value, seen);
  if (value instanceof Map) {
    const clone = remember(new Map());
    for (const [key, item] of value) clone.set(copy(key, seen), copy(item, seen));
    return clone;
  }
  if (value instanceof Set) {
    const clone = remember(new Set());
    for (const item of value) clone.add(copy(item, seen));
    return clone;
  }
  if (BOXED.some((Kind) => value instanceof Kind)) return remember(Object(value.valueOf()));
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) refuse(value);
  return copyInto(remember({}), value, seen);
}

export function structuredClone(value) {
  if (arguments.length === 0) throw new TypeError("The \"value\" argument must be specified");
  return copy(value, new Map());
}
