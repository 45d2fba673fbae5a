// pipeline and finished.

import { codedError } from "deed:errors";
import { onAbort } from "deed:globals/events";
import { Readable } from "deed:stream-readable";
import { PassThrough } from "deed:stream-writable";

const isStream = (value) => typeof value?.pipe === "function" || typeof value?.write === "function";

/** Calls back once a stream is done, failed or closed too early; gives what stops the waiting. */
export function finished(stream, options, callback) {
  const call = typeof options === "function" ? options : callback;
  const { readable = stream.readable !== undefined && typeof stream.read === "function", writable = typeof stream.write === "function" } = typeof options === "object" && options !== null ? options : {};
  let readDone = !readable || stream.readableEnded;
  let writeDone = !writable || stream.writableFinished;
  let called = false;
  const settle = (error) => {
    if (called) return;
    called = true;
    stop();
    call(error);
  };
  const check = () => readDone && writeDone && settle();
  const onEnd = () => ((readDone = true), check());
  const onFinish = () => ((writeDone = true), check());
  const onClose = () => settle(readDone && writeDone ? undefined : (stream.errored ?? codedError(Error, "ERR_STREAM_PREMATURE_CLOSE", "Premature close")));
  const onError = (error) => settle(error);
  const stop = () => void stream.off("end", onEnd).off("finish", onFinish).off("close", onClose).off("error", onError);
  stream.on("end", onEnd).on("finish", onFinish).on("close", onClose).on("error", onError);
  if (stream.closed || (readDone && writeDone)) queueMicrotask(onClose);
  return stop;
}

/** Makes a stream of what stands in a pipeline: a stream, an iterable, or a function of the one before. */
function stageOf(stage, before) {
  if (isStream(stage)) return stage;
  const value = typeof stage === "function" ? stage(before) : stage;
  if (isStream(value)) return value;
  if (value?.[Symbol.asyncIterator] || value?.[Symbol.iterator]) return Readable.from(value);
  const through = new PassThrough({ objectMode: true });
  Promise.resolve(value).then((made) => through.end(made), (error) => through.destroy(error));
  through.resume();
  return through;
}

export function pipeline(...given) {
  const callback = typeof given.at(-1) === "function" ? given.pop() : undefined;
  const { promise, resolve, reject } = Promise.withResolvers();
  promise.then(() => callback?.(), (error) => callback?.(error));
  const options = given.length > 2 && !isStream(given.at(-1)) && typeof given.at(-1) === "object" && !given.at(-1)?.[Symbol.asyncIterator] ? given.pop() : {};
  const stages = given.length === 1 && Array.isArray(given[0]) ? given[0] : given;
  const streams = [];
  for (const stage of stages) {
    const before = streams.at(-1);
    const stream = stageOf(stage, before);
    if (before && typeof stage !== "function") before.pipe(stream);
    streams.push(stream);
  }
  const failAll = (error) => {
    for (const stream of streams) stream.destroy(error);
    reject(error);
  };
  let open = streams.length;
  streams.forEach((stream, index) => {
    const last = index === streams.length - 1;
    const side = last ? { readable: false } : index === 0 ? { writable: false } : {};
    finished(stream, side, (error) => (error ? failAll(error) : --open === 0 && resolve()));
    stream.on("error", () => {});
  });
  onAbort(options.signal, (reason) => failAll(codedError(Error, "ABORT_ERR", "The operation was aborted", { name: "AbortError", cause: reason })));
  return streams.at(-1);
}

/** The same, for those who wait for a promise. */
export const pipelinePromise = (...stages) =>
  new Promise((resolve, reject) => {
    pipeline(...stages, (error) => (error ? reject(error) : resolve()));
  });
export const finishedPromise = (stream, options = {}) =>
  new Promise((resolve, reject) => {
    finished(stream, options, (error) => (error ? reject(error) : resolve()));
  });
