// node:stream/web.

export * from "deed:modules/stubs/node/stream/web";

const { ReadableStream, TextDecoderStream, TextEncoderStream, TransformStream, WritableStream } = globalThis;
export { ReadableStream, TextDecoderStream, TextEncoderStream, TransformStream, WritableStream };
export default { ReadableStream, TextDecoderStream, TextEncoderStream, TransformStream, WritableStream };
