// Writable, duplex and transforming streams.

import { codedError } from "deed:errors";
import { Buffer } from "deed:globals/buffer";
import { Stream } from "deed:stream-base";
import { Readable } from "deed:stream-readable";

const DEFAULT_MARK = 65536;
const DEFAULT_OBJECT_MARK = 16;

/** The writing side, held by the streams that have one. */
class Side {
  queue = [];
  length = 0;
  corked = 0;
  busy = false;
  ending = false;
  finished = false;
  needsDrain = false;
  atEnd = [];

  constructor(stream, options) {
    this.stream = stream;
    this.objectMode = Boolean(options.objectMode || options.writableObjectMode);
    this.mark = options.highWaterMark ?? options.writableHighWaterMark ?? (this.objectMode ? DEFAULT_OBJECT_MARK : DEFAULT_MARK);
    this.decodes = options.decodeStrings ?? true;
    this.encoding = options.defaultEncoding ?? "utf8";
  }

  write(chunk, encoding, callback) {
    const { stream } = this;
    if (typeof encoding === "function") return this.write(chunk, undefined, encoding);
    const done = callback ?? (() => {});
    if (chunk === null) throw codedError(TypeError, "ERR_STREAM_NULL_VALUES", "May not write null values to stream");
    const failure = this.ending ? codedError(Error, "ERR_STREAM_WRITE_AFTER_END", "write after end") : stream.destroyed ? codedError(Error, "ERR_STREAM_DESTROYED", "Cannot call write after a stream was destroyed") : undefined;
    if (failure) {
      queueMicrotask(() => done(failure));
      if (this.ending) stream.destroy(failure);
      return false;
    }
    const piece = this.piece(chunk, encoding);
    const size = this.objectMode ? 1 : piece.chunk.length;
    this.length += size;
    this.queue.push({ ...piece, size, done });
    this.run();
    const room = this.length < this.mark;
    this.needsDrain ||= !room;
    return room;
  }

  piece(chunk, encoding) {
    const name = encoding ?? this.encoding;
    if (this.objectMode) return { chunk, encoding: name };
    if (typeof chunk === "string") return this.decodes ? { chunk: Buffer.from(chunk, name), encoding: "buffer" } : { chunk, encoding: name };
    if (ArrayBuffer.isView(chunk)) return { chunk: chunk instanceof Buffer ? chunk : Buffer.view(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)), encoding: "buffer" };
    throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", `The "chunk" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${chunk === undefined ? "undefined" : `type ${typeof chunk}`}`);
  }

  run() {
    const { stream } = this;
    if (this.busy || this.corked > 0 || stream.destroyed) return;
    const next = this.queue.shift();
    if (!next) return this.finish();
    this.busy = true;
    let called = false;
    const after = (error) => {
      if (called) return;
      called = true;
      this.busy = false;
      this.length -= next.size;
      if (error) {
        next.done(error);
        stream.destroy(error);
        return;
      }
      queueMicrotask(() => {
        next.done(null);
        if (this.needsDrain && this.length === 0 && !this.ending) {
          this.needsDrain = false;
          stream.emit("drain");
        }
        this.run();
      });
    };
    try {
      if (stream._writev && stream._write === WRITING._write) stream._writev([{ chunk: next.chunk, encoding: next.encoding }], after);
      else stream._write(next.chunk, next.encoding, after);
    } catch (error) {
      after(error);
    }
  }

  end(chunk, encoding, callback) {
    const { stream } = this;
    if (typeof chunk === "function") return this.end(undefined, undefined, chunk);
    if (typeof encoding === "function") return this.end(chunk, undefined, encoding);
    if (chunk !== undefined && chunk !== null) this.write(chunk, encoding);
    if (callback) {
      if (this.finished) queueMicrotask(() => callback());
      else this.atEnd.push(callback);
    }
    this.ending = true;
    this.corked = 0;
    this.run();
    return stream;
  }

  finish() {
    const { stream } = this;
    if (!this.ending || this.finished || this.finishing) return;
    this.finishing = true;
    const done = (error) => {
      if (error) return void stream.destroy(error);
      queueMicrotask(() => {
        this.finished = true;
        for (const callback of this.atEnd.splice(0)) callback();
        stream.emit("finish");
        stream._ended();
      });
    };
    if (stream._final) stream._final(done);
    else done();
  }
}

const SIDE = Symbol("writing");

function takeOptions(stream, options) {
  for (const name of ["write", "writev", "final"]) {
    if (typeof options[name] === "function") stream[`_${name}`] = options[name];
  }
  Object.defineProperty(stream, SIDE, { value: new Side(stream, options) });
}

/** The members of the writing side, put on Writable and on Duplex. */
const WRITING = {
  _write(_chunk, _encoding, callback) {
    callback(codedError(Error, "ERR_METHOD_NOT_IMPLEMENTED", "The _write() method is not implemented"));
  },
  write(chunk, encoding, callback) {
    return this[SIDE].write(chunk, encoding, callback);
  },
  end(chunk, encoding, callback) {
    return this[SIDE].end(chunk, encoding, callback);
  },
  cork() {
    this[SIDE].corked++;
  },
  uncork() {
    const side = this[SIDE];
    side.corked = Math.max(0, side.corked - 1);
    side.run();
  },
  setDefaultEncoding(encoding) {
    this[SIDE].encoding = encoding;
    return this;
  },
  get writable() {
    return !this.destroyed && !this[SIDE].ending;
  },
  get writableEnded() {
    return this[SIDE].ending;
  },
  get writableFinished() {
    return this[SIDE].finished;
  },
  get writableLength() {
    return this[SIDE].length;
  },
  get writableHighWaterMark() {
    return this[SIDE].mark;
  },
  get writableObjectMode() {
    return this[SIDE].objectMode;
  },
  get writableNeedDrain() {
    return this[SIDE].needsDrain;
  },
  get writableCorked() {
    return this[SIDE].corked;
  },
};

export class Writable extends Stream {
  constructor(options = {}) {
    super(options);
    takeOptions(this, options);
  }
  static [Symbol.hasInstance](value) {
    return Function.prototype[Symbol.hasInstance].call(this, value) || (this === Writable && value?.[SIDE] !== undefined);
  }
}

export class Duplex extends Readable {
  constructor(options = {}) {
    super(options);
    this.allowHalfOpen = options.allowHalfOpen ?? true;
    takeOptions(this, options);
    if (!this.allowHalfOpen) this.once("end", () => this.end());
  }
}
for (const Kind of [Writable, Duplex]) {
  const members = Object.getOwnPropertyDescriptors(WRITING);
  for (const member of Object.values(members)) member.enumerable = false;
  Object.defineProperties(Kind.prototype, members);
}

export class Transform extends Duplex {
  #resume = null;
  constructor(options = {}) {
    super(options);
    if (typeof options.transform === "function") this._transform = options.transform;
    if (typeof options.flush === "function") this._flush = options.flush;
  }
  _transform(_chunk, _encoding, callback) {
    callback(codedError(Error, "ERR_METHOD_NOT_IMPLEMENTED", "The _transform() method is not implemented"));
  }
  _write(chunk, encoding, callback) {
    this._transform(chunk, encoding, (error, made) => {
      if (error) return callback(error);
      const room = made === undefined || made === null ? this.readableLength < this.readableHighWaterMark : this.push(made);
      if (room) callback();
      else this.#resume = callback;
    });
  }
  _final(callback) {
    const finish = (error, made) => {
      if (error) return callback(error);
      if (made !== undefined && made !== null) this.push(made);
      this.push(null);
      callback();
    };
    if (this._flush) this._flush(finish);
    else finish();
  }
  _read() {
    const resume = this.#resume;
    this.#resume = null;
    resume?.();
  }
}

export class PassThrough extends Transform {
  _transform(chunk, _encoding, callback) {
    callback(null, chunk);
  }
}
