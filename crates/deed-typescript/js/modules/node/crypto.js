// node:crypto: hashes, HMAC, random values. Ciphers and keys are not there.

import { hexToBytes } from "deed:bytes";
import { codedError, guarded } from "deed:errors";
import { Buffer } from "deed:globals/buffer";
import { webcrypto } from "deed:globals/webcrypto";
import { Transform } from "deed:modules/node/stream";
import { fromBase64, op, toBase64 } from "deed:native";

export * from "deed:modules/stubs/node/crypto";

const bytesOf = (data, encoding) => (typeof data === "string" ? Buffer.from(data, encoding) : data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array(data.buffer, data.byteOffset, data.byteLength));

class Digest extends Transform {
  #parts;
  #finish;
  #done = false;
  constructor(finish, parts = []) {
    super();
    this.#finish = finish;
    this.#parts = parts;
  }
  update(data, encoding) {
    if (this.#done) throw codedError(Error, "ERR_CRYPTO_HASH_FINALIZED", "Digest already called");
    if (typeof data !== "string" && !ArrayBuffer.isView(data)) {
      throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", `The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${data === null ? "null" : data === undefined ? "undefined" : `type ${typeof data}`}`);
    }
    this.#parts.push(Buffer.from(bytesOf(data, encoding)));
    return this;
  }
  digest(encoding) {
    if (this.#done) throw codedError(Error, "ERR_CRYPTO_HASH_FINALIZED", "Digest already called");
    this.#done = true;
    const buffer = Buffer.view(hexToBytes(this.#finish(toBase64(Buffer.concat(this.#parts)))));
    return encoding && encoding !== "buffer" ? buffer.toString(encoding) : buffer;
  }
  copy() {
    return new Digest(this.#finish, [...this.#parts]);
  }
  _transform(chunk, encoding, callback) {
    this.update(chunk, encoding);
    callback();
  }
  _flush(callback) {
    this.push(this.digest());
    callback();
  }
}

function known(run) {
  try {
    return run();
  } catch (error) {
    if (error.code === "ERR_ALGORITHM" || error.name === "UnsupportedError") throw new Error("Digest method not supported");
    throw error;
  }
}

export function createHash(algorithm) {
  const finish = (base64) => op("crypto.hash", { algorithm, base64 }).hex;
  known(() => finish(""));
  return new Digest(finish);
}

export function createHmac(algorithm, key) {
  const keyBase64 = toBase64(bytesOf(key.bytes ?? key));
  const finish = (base64) => op("crypto.hmac", { algorithm, keyBase64, base64 }).hex;
  known(() => finish(""));
  return new Digest(finish);
}

export const hash = (algorithm, data, encoding = "hex") => createHash(algorithm).update(data).digest(encoding);
export const getHashes = () => op("crypto.hashes").names;
export const randomUUID = () => webcrypto.randomUUID();

export function randomBytes(size, callback) {
  const bytes = Buffer.view(fromBase64(op("crypto.randomBytes", { size }).base64));
  if (!callback) return bytes;
  queueMicrotask(() => callback(null, bytes));
}
export const pseudoRandomBytes = randomBytes;

export function randomFillSync(target, offset = 0, size = target.byteLength - offset) {
  new Uint8Array(target.buffer ?? target, (target.byteOffset ?? 0) + offset, size).set(randomBytes(size));
  return target;
}
export function randomFill(target, ...rest) {
  const callback = rest.pop();
  randomFillSync(target, ...rest);
  queueMicrotask(() => callback(null, target));
}

const WIDEST = 2 ** 48 - 1;
export function randomInt(least, most, callback) {
  if (most === undefined || typeof most === "function") return randomInt(0, least, most);
  const range = most - least;
  if (!(range > 0 && range <= WIDEST)) throw codedError(RangeError, "ERR_OUT_OF_RANGE", `The value of "max" is out of range. It must be greater than the value of "min" (${least}). Received ${most}`);
  const limit = 2 ** 48 - (2 ** 48 % range);
  let value;
  do value = randomBytes(6).readUIntBE(0, 6);
  while (value >= limit);
  const number = least + (value % range);
  if (!callback) return number;
  queueMicrotask(() => callback(null, number));
}

/** Compares without telling by its time where the difference is. */
export function timingSafeEqual(left, right) {
  const [a, b] = [bytesOf(left), bytesOf(right)];
  if (a.length !== b.length) throw codedError(RangeError, "ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH", "Input buffers must have the same byte length");
  let difference = 0;
  for (let at = 0; at < a.length; at++) difference |= a[at] ^ b[at];
  return difference === 0;
}

export const subtle = webcrypto.subtle;
export const getRandomValues = (view) => webcrypto.getRandomValues(view);
export const constants = {};
export { webcrypto };
export default guarded({ constants, createHash, createHmac, getHashes, getRandomValues, hash, pseudoRandomBytes, randomBytes, randomFill, randomFillSync, randomInt, randomUUID, subtle, timingSafeEqual, webcrypto }, "crypto");
