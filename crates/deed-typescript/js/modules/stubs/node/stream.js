// Made by make-exports.mjs: names of 'node:stream' that have no implementation.

import { stubs } from "deed:errors";

export const [_isArrayBufferView, _isUint8Array, _uint8ArrayToBuffer, compose, destroy, duplexPair, getDefaultHighWaterMark, isDestroyed, isDisturbed, isWritable, setDefaultHighWaterMark] = stubs("node:stream", "_isArrayBufferView _isUint8Array _uint8ArrayToBuffer compose destroy duplexPair getDefaultHighWaterMark isDestroyed isDisturbed isWritable setDefaultHighWaterMark");
