// Numbers in buffers: readUInt8 to writeDoubleBE, from one table.

import { codedError } from "deed:errors";

/** Name in node, method of DataView, bytes. */
const FIXED = [
  ["UInt8", "Uint8", 1],
  ["Int8", "Int8", 1],
  ["UInt16", "Uint16", 2],
  ["Int16", "Int16", 2],
  ["UInt32", "Uint32", 4],
  ["Int32", "Int32", 4],
  ["Float", "Float32", 4],
  ["Double", "Float64", 8],
  ["BigUInt64", "BigUint64", 8],
  ["BigInt64", "BigInt64", 8],
];

const viewOf = (buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);

function check(buffer, offset, width) {
  if (typeof offset !== "number") throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", `The "offset" argument must be of type number. Received type ${typeof offset}`);
  if (!Number.isInteger(offset)) throw codedError(RangeError, "ERR_OUT_OF_RANGE", `The value of "offset" is out of range. It must be an integer. Received ${offset}`);
  const last = buffer.length - width;
  if (last < 0) throw codedError(RangeError, "ERR_BUFFER_OUT_OF_BOUNDS", "Attempt to access memory outside buffer bounds");
  if (offset < 0 || offset > last) throw codedError(RangeError, "ERR_OUT_OF_RANGE", `The value of "offset" is out of range. It must be >= 0 and <= ${last}. Received ${offset}`);
}

function rangeOf(name, width) {
  const bits = BigInt(width * 8);
  const signed = !name.includes("U");
  return signed ? [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n] : [0n, 2n ** bits - 1n];
}

function checkValue(name, value, width) {
  if (name === "Float" || name === "Double") return;
  const [least, most] = rangeOf(name, width);
  if (value < least || value > most) throw codedError(RangeError, "ERR_OUT_OF_RANGE", `The value of "value" is out of range. It must be >= ${least} and <= ${most}. Received ${value}`);
}

function fixed(prototype, name, method, width) {
  const ends = width === 1 ? [["", false]] : [["LE", true], ["BE", false]];
  for (const [end, little] of ends) {
    put(prototype, `read${name}${end}`, function (offset = 0) {
      check(this, offset, width);
      return viewOf(this)[`get${method}`](offset, little);
    });
    put(prototype, `write${name}${end}`, function (value, offset = 0) {
      checkValue(name, value, width);
      check(this, offset, width);
      viewOf(this)[`set${method}`](offset, value, little);
      return offset + width;
    });
  }
}

/** Numbers of one to six bytes. */
function variable(prototype, name, signed) {
  for (const [end, little] of [["LE", true], ["BE", false]]) {
    put(prototype, `read${name}${end}`, function (offset, width) {
      check(this, offset, width);
      let value = 0;
      for (let at = 0; at < width; at++) value = value * 256 + this[offset + (little ? width - 1 - at : at)];
      return signed && value >= 2 ** (width * 8 - 1) ? value - 2 ** (width * 8) : value;
    });
    put(prototype, `write${name}${end}`, function (value, offset, width) {
      check(this, offset, width);
      let rest = value < 0 ? value + 2 ** (width * 8) : value;
      for (let at = 0; at < width; at++) {
        this[offset + (little ? at : width - 1 - at)] = rest % 256;
        rest = Math.floor(rest / 256);
      }
      return offset + width;
    });
  }
}

function put(prototype, name, value) {
  Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
  const other = name.replace("UInt", "Uint");
  if (other !== name) Object.defineProperty(prototype, other, { value, writable: true, configurable: true });
}

/** Adds all of them to the prototype of Buffer. */
export function installNumbers(prototype) {
  for (const [name, method, width] of FIXED) fixed(prototype, name, method, width);
  variable(prototype, "UInt", false);
  variable(prototype, "Int", true);
}
