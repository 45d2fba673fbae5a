// node:stream.

import { Stream } from "deed:stream-base";
import { finished, finishedPromise, pipeline, pipelinePromise } from "deed:stream-pipeline";
import { Readable } from "deed:stream-readable";
import { Duplex, PassThrough, Transform, Writable } from "deed:stream-writable";

export * from "deed:modules/stubs/node/stream";

const custom = Symbol.for("nodejs.util.promisify.custom");
pipeline[custom] = pipelinePromise;
finished[custom] = finishedPromise;
export const promises = { finished: finishedPromise, pipeline: pipelinePromise };
export const addAbortSignal = (signal, stream) => {
  signal.addEventListener("abort", () => stream.destroy(signal.reason), { once: true });
  return stream;
};
export const isReadable = (stream) => Boolean(stream?.readable);
export const isErrored = (stream) => Boolean(stream?.errored);
export { Duplex, finished, PassThrough, pipeline, Readable, Stream, Transform, Writable };
export default Object.assign(Stream, { addAbortSignal, Duplex, finished, isErrored, isReadable, PassThrough, pipeline, promises, Readable, Stream, Transform, Writable });
