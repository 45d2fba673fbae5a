// Readable streams, in flowing and in paused mode.

import { codedError } from "deed:errors";
import { Buffer } from "deed:globals/buffer";
import { Stream } from "deed:stream-base";
import { StringDecoder } from "deed:modules/node/string_decoder";

const DEFAULT_MARK = 65536;
const DEFAULT_OBJECT_MARK = 16;

export class Readable extends Stream {
  #chunks = [];
  #length = 0;
  #flowing = null;
  #reading = false;
  #ended = false;
  #endSent = false;
  #decoder = null;
  #scheduled = false;
  #pipes = [];

  constructor(options = {}) {
    super(options);
    this.readableObjectMode = Boolean(options.objectMode || options.readableObjectMode);
    this.readableHighWaterMark = options.highWaterMark ?? options.readableHighWaterMark ?? (this.readableObjectMode ? DEFAULT_OBJECT_MARK : DEFAULT_MARK);
    if (typeof options.read === "function") this._read = options.read;
    if (options.encoding) this.setEncoding(options.encoding);
  }

  get readable() {
    return !this.destroyed && !this.#endSent;
  }
  get readableFlowing() {
    return this.#flowing;
  }
  get readableLength() {
    return this.#length;
  }
  get readableEnded() {
    return this.#endSent;
  }
  get readableAborted() {
    return this.destroyed && !this.#endSent;
  }
  get readableEncoding() {
    return this.#decoder?.encoding ?? null;
  }

  _read() {
    throw codedError(Error, "ERR_METHOD_NOT_IMPLEMENTED", "The _read() method is not implemented");
  }

  setEncoding(encoding) {
    this.#decoder = new StringDecoder(encoding);
    const text = this.#chunks.map((chunk) => this.#decoder.write(chunk)).join("");
    this.#chunks = text === "" ? [] : [text];
    this.#length = text.length;
    return this;
  }

  push(chunk, encoding) {
    this.#reading = false;
    if (chunk === null) {
      this.#finishInput();
      return false;
    }
    if (this.#ended) {
      this.destroy(codedError(Error, "ERR_STREAM_PUSH_AFTER_EOF", "stream.push() after EOF"));
      return false;
    }
    const piece = this.#piece(chunk, encoding);
    if (piece !== undefined) {
      this.#chunks.push(piece);
      this.#length += this.readableObjectMode ? 1 : piece.length;
      this.#schedule();
    }
    return this.#length < this.readableHighWaterMark;
  }
  #piece(chunk, encoding) {
    if (this.readableObjectMode) return chunk;
    let bytes = chunk;
    if (typeof chunk === "string") {
      if (this.#decoder && this.#decoder.encoding === "utf8" && (!encoding || /^utf-?8$/i.test(encoding))) return chunk === "" ? undefined : chunk;
      bytes = Buffer.from(chunk, encoding);
    } else if (ArrayBuffer.isView(chunk) && !(chunk instanceof Buffer)) bytes = Buffer.view(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    else if (!(chunk instanceof Uint8Array)) {
      this.destroy(codedError(TypeError, "ERR_INVALID_ARG_TYPE", `The "chunk" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${chunk === undefined ? "undefined" : typeof chunk}`));
      return undefined;
    }
    const piece = this.#decoder ? this.#decoder.write(bytes) : bytes;
    return piece.length === 0 ? undefined : piece;
  }
  #finishInput() {
    if (this.#ended) return;
    const rest = this.#decoder?.end() ?? "";
    if (rest !== "") {
      this.#chunks.push(rest);
      this.#length += rest.length;
    }
    this.#ended = true;
    this.#schedule();
  }
  unshift(chunk, encoding) {
    const piece = this.readableObjectMode ? chunk : typeof chunk === "string" && !this.#decoder ? Buffer.from(chunk, encoding) : chunk;
    this.#chunks.unshift(piece);
    this.#length += this.readableObjectMode ? 1 : piece.length;
    this.#schedule();
  }

  #schedule() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#flow();
    });
  }
  #flow() {
    if (this.destroyed) return;
    const asked = this.listenerCount("readable") > 0;
    while (this.#flowing && !asked && this.#chunks.length > 0 && !this.destroyed) this.emit("data", this.#take());
    if (!asked && !this.#flowing) return;
    if (asked && !this.#endSent && (this.#chunks.length > 0 || this.#ended)) this.emit("readable");
    if (this.#ended && this.#chunks.length === 0) this.#sendEnd();
    else this.#fill();
  }
  #fill() {
    if (this.#reading || this.#ended || this.destroyed || this.#length >= this.readableHighWaterMark) return;
    this.#reading = true;
    try {
      this._read(this.readableHighWaterMark);
    } catch (error) {
      this.destroy(error);
    }
  }
  #take() {
    const chunk = this.#chunks.shift();
    this.#length -= this.readableObjectMode ? 1 : chunk.length;
    return chunk;
  }
  #sendEnd() {
    if (this.#endSent || this.destroyed) return;
    this.#endSent = true;
    this.emit("end");
    this._ended();
  }

  read(size) {
    if (this.#chunks.length === 0) {
      if (this.#ended) queueMicrotask(() => this.#chunks.length === 0 && this.#sendEnd());
      else this.#fill();
      if (this.#chunks.length === 0) return null;
    }
    let result;
    if (this.readableObjectMode) result = this.#take();
    else {
      const whole = typeof this.#chunks[0] === "string" ? this.#chunks.join("") : this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
      if (size !== undefined && size > whole.length && !this.#ended) {
        this.#fill();
        return null;
      }
      const count = size === undefined ? whole.length : Math.min(size, whole.length);
      result = whole.slice(0, count);
      this.#chunks = count < whole.length ? [whole.slice(count)] : [];
      this.#length -= count;
    }
    this.emit("data", result);
    this.#schedule();
    return result;
  }

  /** Called for every new listener, whichever way it came. */
  _listening(name) {
    if (name === "data" && this.#flowing !== false) this.resume();
    if (name === "readable") {
      this.#flowing = false;
      queueMicrotask(() => {
        if (this.#chunks.length > 0 || this.#ended) this.emit("readable");
        if (!this.#ended) this.#fill();
      });
    }
  }
  resume() {
    if (this.#flowing !== true) {
      this.#flowing = true;
      queueMicrotask(() => this.emit("resume"));
    }
    this.#schedule();
    return this;
  }
  pause() {
    if (this.#flowing !== false) {
      this.#flowing = false;
      this.emit("pause");
    }
    return this;
  }
  isPaused() {
    return this.#flowing === false;
  }

  pipe(target, options = {}) {
    const onData = (chunk) => {
      if (target.write(chunk) === false) {
        this.pause();
        target.once("drain", () => this.resume());
      }
    };
    const onEnd = () => target.end();
    this.on("data", onData);
    if (options.end !== false && target !== globalThis.process.stdout && target !== globalThis.process.stderr) this.once("end", onEnd);
    this.#pipes.push({ target, onData, onEnd });
    target.emit("pipe", this);
    return target;
  }
  unpipe(target) {
    for (const pipe of this.#pipes.filter((entry) => !target || entry.target === target)) {
      this.off("data", pipe.onData).off("end", pipe.onEnd);
      pipe.target.emit("unpipe", this);
    }
    this.#pipes = target ? this.#pipes.filter((entry) => entry.target !== target) : [];
    if (this.#pipes.length === 0) this.pause();
    return this;
  }

  async *iterate({ destroyOnReturn = true } = {}) {
    let wake = () => {};
    let failure;
    let done = false;
    const onReadable = () => wake();
    const onEnd = () => ((done = true), wake());
    const onError = (error) => ((failure = error), wake());
    this.on("readable", onReadable).on("end", onEnd).on("error", onError).on("close", onEnd);
    try {
      for (;;) {
        const chunk = this.destroyed ? null : this.read();
        if (chunk !== null) yield chunk;
        else if (failure) throw failure;
        else if (done || this.readableEnded) {
          if (!this.readableEnded && this.destroyed) throw this.errored ?? codedError(Error, "ERR_STREAM_PREMATURE_CLOSE", "Premature close");
          return;
        } else await new Promise((resolve) => (wake = resolve));
      }
    } finally {
      this.off("readable", onReadable).off("end", onEnd).off("close", onEnd);
      if (destroyOnReturn && !failure) this.destroy();
      if (!failure) this.off("error", onError);
    }
  }
  iterator(options) {
    return this.iterate(options);
  }
  [Symbol.asyncIterator]() {
    return this.iterate();
  }
  async toArray() {
    const all = [];
    for await (const chunk of this) all.push(chunk);
    return all;
  }
  map(change) {
    const source = this;
    return Readable.from((async function* () {
      for await (const chunk of source) yield await change(chunk);
    })());
  }
  filter(test) {
    const source = this;
    return Readable.from((async function* () {
      for await (const chunk of source) if (await test(chunk)) yield chunk;
    })());
  }
  async forEach(call) {
    for await (const chunk of this) await call(chunk);
  }

  static from(iterable, options = {}) {
    if (typeof iterable === "string" || iterable instanceof Uint8Array) return Readable.from([iterable], options);
    const iterator = iterable[Symbol.asyncIterator]?.() ?? iterable[Symbol.iterator]();
    return new Readable({
      objectMode: true,
      highWaterMark: 1,
      ...options,
      async read() {
        try {
          const { value, done } = await iterator.next();
          this.push(done ? null : await value);
        } catch (error) {
          this.destroy(error);
        }
      },
      destroy(error, callback) {
        Promise.resolve(iterator.return?.()).then(() => callback(error), callback);
      },
    });
  }
  static fromWeb(stream, options) {
    return Readable.from(stream.values(), { objectMode: false, ...options });
  }
  static toWeb(stream) {
    return globalThis.ReadableStream.from(stream);
  }
}
