// ReadableStream, WritableStream and TransformStream, as far as bodies of answers need them: one
// reader, no backpressure beyond "pull when asked", no byte streams of their own.

import { utf8Encode } from "deed:bytes";
import { TextDecoder } from "deed:globals/encoding";

const locked = () => new TypeError("Invalid state: ReadableStream is locked");

export class ReadableStream {
  #source;
  #chunks = [];
  #waiting = [];
  #state = "open";
  #error;
  #pulling = false;
  #reader = null;

  constructor(source = {}) {
    this.#source = source ?? {};
    const controller = this.#controller();
    this.#started = Promise.resolve(this.#source.start?.(controller)).catch((error) => controller.error(error));
    this.#pull = async () => {
      if (this.#pulling || this.#state !== "open" || !this.#source.pull) return;
      this.#pulling = true;
      try {
        await this.#started;
        if (this.#state === "open") await this.#source.pull(controller);
      } catch (error) {
        controller.error(error);
      }
      this.#pulling = false;
      if (this.#waiting.length > 0) this.#pull();
    };
  }
  #started;
  #pull;

  #controller() {
    return {
      desiredSize: 1,
      enqueue: (chunk) => {
        if (this.#state !== "open") throw new TypeError("Invalid state: Controller is already closed");
        if (this.#waiting.length > 0) this.#waiting.shift().resolve({ value: chunk, done: false });
        else this.#chunks.push(chunk);
      },
      close: () => {
        if (this.#state === "open") this.#end("closed");
      },
      error: (error) => {
        if (this.#state === "open") this.#end("failed", error);
      },
    };
  }
  #end(state, error) {
    this.#state = state;
    this.#error = error;
    for (const { resolve, reject } of this.#waiting.splice(0)) {
      if (state === "failed") reject(error);
      else resolve({ value: undefined, done: true });
    }
  }
  #read() {
    if (this.#chunks.length > 0) return Promise.resolve({ value: this.#chunks.shift(), done: false });
    if (this.#state === "failed") return Promise.reject(this.#error);
    if (this.#state === "closed") return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#pull();
    });
  }
  async #cancel(reason) {
    if (this.#state !== "open") return;
    this.#chunks = [];
    this.#end("closed");
    await this.#source.cancel?.(reason);
  }

  get locked() {
    return this.#reader !== null;
  }
  getReader() {
    if (this.#reader) throw locked();
    const reader = {
      read: () => this.#read(),
      cancel: (reason) => this.#cancel(reason),
      releaseLock: () => {
        if (this.#reader === reader) this.#reader = null;
      },
      closed: new Promise(() => {}),
    };
    this.#reader = reader;
    return reader;
  }
  cancel(reason) {
    return this.locked ? Promise.reject(locked()) : this.#cancel(reason);
  }
  async *values() {
    const reader = this.getReader();
    let ended = false;
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) {
          ended = true;
          return;
        }
        yield value;
      }
    } finally {
      if (!ended) await reader.cancel();
      reader.releaseLock();
    }
  }
  [Symbol.asyncIterator]() {
    return this.values();
  }
  pipeThrough({ readable, writable }) {
    this.pipeTo(writable).catch(() => {});
    return readable;
  }
  async pipeTo(writable) {
    const writer = writable.getWriter();
    try {
      for await (const chunk of this.values()) await writer.write(chunk);
      await writer.close();
    } catch (error) {
      await writer.abort(error);
      throw error;
    }
  }
  tee() {
    const reader = this.getReader();
    const controllers = [];
    const pull = async () => {
      const { value, done } = await reader.read();
      for (const controller of controllers) done ? controller.close() : controller.enqueue(value);
    };
    const branch = () => new ReadableStream({ start: (controller) => void controllers.push(controller), pull });
    return [branch(), branch()];
  }
  static from(iterable) {
    const iterator = iterable[Symbol.asyncIterator]?.() ?? iterable[Symbol.iterator]();
    return new ReadableStream({
      async pull(controller) {
        const { value, done } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => iterator.return?.(),
    });
  }
}

export class WritableStream {
  #sink;
  #last = Promise.resolve();
  constructor(sink = {}) {
    this.#sink = sink;
    this.#last = Promise.resolve(sink.start?.({ error() {} }));
  }
  get locked() {
    return false;
  }
  getWriter() {
    const after = (work) => (this.#last = this.#last.then(work));
    return {
      ready: Promise.resolve(),
      closed: this.#last,
      desiredSize: 1,
      write: (chunk) => after(() => this.#sink.write?.(chunk)),
      close: () => after(() => this.#sink.close?.()),
      abort: (reason) => Promise.resolve(this.#sink.abort?.(reason)),
      releaseLock() {},
    };
  }
}

export class TransformStream {
  constructor(transformer = {}) {
    let controller;
    this.readable = new ReadableStream({ start: (made) => void (controller = made) });
    controller.terminate = () => controller.close();
    const started = Promise.resolve(transformer.start?.(controller));
    this.writable = new WritableStream({
      async write(chunk) {
        await started;
        if (transformer.transform) await transformer.transform(chunk, controller);
        else controller.enqueue(chunk);
      },
      async close() {
        await transformer.flush?.(controller);
        controller.close();
      },
      abort: (reason) => controller.error(reason),
    });
  }
}

export class TextDecoderStream extends TransformStream {
  constructor(label, options) {
    const decoder = new TextDecoder(label, options);
    const give = (text, controller) => {
      if (text !== "") controller.enqueue(text);
    };
    super({
      transform: (chunk, controller) => give(decoder.decode(chunk, { stream: true }), controller),
      flush: (controller) => give(decoder.decode(), controller),
    });
    this.encoding = decoder.encoding;
  }
}

export class TextEncoderStream extends TransformStream {
  constructor() {
    super({ transform: (chunk, controller) => controller.enqueue(utf8Encode(String(chunk))) });
    this.encoding = "utf-8";
  }
}
