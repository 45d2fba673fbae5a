// Made by make-exports.mjs: names of 'node:stream/web' that have no implementation.

import { stubs } from "deed:errors";

export const [ByteLengthQueuingStrategy, CompressionStream, CountQueuingStrategy, DecompressionStream, ReadableByteStreamController, ReadableStreamBYOBReader, ReadableStreamBYOBRequest, ReadableStreamDefaultController, ReadableStreamDefaultReader, TransformStreamDefaultController, WritableStreamDefaultController, WritableStreamDefaultWriter] = stubs("node:stream/web", "ByteLengthQueuingStrategy CompressionStream CountQueuingStrategy DecompressionStream ReadableByteStreamController ReadableStreamBYOBReader ReadableStreamBYOBRequest ReadableStreamDefaultController ReadableStreamDefaultReader TransformStreamDefaultController WritableStreamDefaultController WritableStreamDefaultWriter");
