// Made by make-exports.mjs: names of 'node:stream/web' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:stream/web", name);
export const ByteLengthQueuingStrategy = of("ByteLengthQueuingStrategy");
export const CompressionStream = of("CompressionStream");
export const CountQueuingStrategy = of("CountQueuingStrategy");
export const DecompressionStream = of("DecompressionStream");
export const ReadableByteStreamController = of("ReadableByteStreamController");
export const ReadableStreamBYOBReader = of("ReadableStreamBYOBReader");
export const ReadableStreamBYOBRequest = of("ReadableStreamBYOBRequest");
export const ReadableStreamDefaultController = of("ReadableStreamDefaultController");
export const ReadableStreamDefaultReader = of("ReadableStreamDefaultReader");
export const TransformStreamDefaultController = of("TransformStreamDefaultController");
export const WritableStreamDefaultController = of("WritableStreamDefaultController");
export const WritableStreamDefaultWriter = of("WritableStreamDefaultWriter");
