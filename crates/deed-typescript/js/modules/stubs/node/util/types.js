// Made by make-exports.mjs: names of 'node:util/types' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:util/types", name);
export const isBigInt64Array = of("isBigInt64Array");
export const isBigUint64Array = of("isBigUint64Array");
export const isCryptoKey = of("isCryptoKey");
export const isFloat16Array = of("isFloat16Array");
export const isFloat32Array = of("isFloat32Array");
export const isFloat64Array = of("isFloat64Array");
export const isInt16Array = of("isInt16Array");
export const isInt32Array = of("isInt32Array");
export const isInt8Array = of("isInt8Array");
export const isKeyObject = of("isKeyObject");
export const isUint16Array = of("isUint16Array");
export const isUint32Array = of("isUint32Array");
export const isUint8ClampedArray = of("isUint8ClampedArray");
