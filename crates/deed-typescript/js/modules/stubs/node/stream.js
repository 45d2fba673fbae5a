// Made by make-exports.mjs: names of 'node:stream' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:stream", name);
export const _isArrayBufferView = of("_isArrayBufferView");
export const _isUint8Array = of("_isUint8Array");
export const _uint8ArrayToBuffer = of("_uint8ArrayToBuffer");
export const compose = of("compose");
export const destroy = of("destroy");
export const duplexPair = of("duplexPair");
export const getDefaultHighWaterMark = of("getDefaultHighWaterMark");
export const isDestroyed = of("isDestroyed");
export const isDisturbed = of("isDisturbed");
export const isWritable = of("isWritable");
export const setDefaultHighWaterMark = of("setDefaultHighWaterMark");
