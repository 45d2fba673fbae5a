// Made by make-exports.mjs: names of 'node:util/types' that have no implementation.

import { stubs } from "deed:errors";

export const [isBigInt64Array, isBigUint64Array, isCryptoKey, isFloat16Array, isFloat32Array, isFloat64Array, isInt16Array, isInt32Array, isInt8Array, isKeyObject, isUint16Array, isUint32Array, isUint8ClampedArray] = stubs("node:util/types", "isBigInt64Array isBigUint64Array isCryptoKey isFloat16Array isFloat32Array isFloat64Array isInt16Array isInt32Array isInt8Array isKeyObject isUint16Array isUint32Array isUint8ClampedArray");
