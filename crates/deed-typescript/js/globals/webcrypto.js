// crypto: random bytes, identifiers, digests and HMAC; no keys of other kinds.

import { bytesToHex, hexToBytes } from "deed:bytes";
import { partly, unsupported } from "deed:errors";
import { fromBase64, op, opAsync, toBase64 } from "deed:native";

const MOST_RANDOM_BYTES = 65536;
const hashName = (algorithm) => String(algorithm?.name ?? algorithm).toLowerCase().replace("-", "");
const asBytes = (data) => (data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
const refuse = (name) => unsupported(`'crypto.subtle.${name}'`);

async function digest(algorithm, data) {
  const { hex } = await opAsync("crypto.hash", { algorithm: hashName(algorithm), base64: toBase64(asBytes(data)) });
  return hexToBytes(hex).buffer;
}

async function importKey(format, data, algorithm, extractable, usages) {
  if (format !== "raw" || algorithm?.name !== "HMAC") return refuse("importKey")();
  return { type: "secret", algorithm, extractable, usages, bytes: asBytes(data).slice() };
}

async function sign(_algorithm, key, data) {
  const { hex } = await opAsync("crypto.hmac", { algorithm: hashName(key.algorithm.hash), keyBase64: toBase64(key.bytes), base64: toBase64(asBytes(data)) });
  return hexToBytes(hex).buffer;
}

async function verify(algorithm, key, signature, data) {
  return bytesToHex(new Uint8Array(await sign(algorithm, key, data))) === bytesToHex(asBytes(signature));
}

const subtle = partly("`digest`, and HMAC by `importKey`, `sign`, `verify`", { digest, importKey, sign, verify });
for (const name of ["encrypt", "decrypt", "generateKey", "deriveKey", "deriveBits", "exportKey", "wrapKey", "unwrapKey"]) subtle[name] = refuse(name);

/** `crypto` of the web. */
export const webcrypto = {
  subtle,
  getRandomValues(view) {
    if (view.byteLength > MOST_RANDOM_BYTES) throw new DOMException(`The requested length exceeds ${MOST_RANDOM_BYTES} bytes`, "QuotaExceededError");
    asBytes(view).set(fromBase64(op("crypto.randomBytes", { size: view.byteLength }).base64));
    return view;
  },
  randomUUID: () => op("crypto.randomUUID").uuid,
};

export { webcrypto as crypto };
