// Streams over files.

import { pathOf } from "deed:fs-calls";
import { callAsync } from "deed:fs-styles";
import { Buffer } from "deed:globals/buffer";
import { Readable, Writable } from "deed:modules/node/stream";
import { fromBase64, opAsync, toBase64 } from "deed:native";

const PIECE_BYTES = 64 * 1024;
const optionsOf = (options) => (typeof options === "string" ? { encoding: options } : (options ?? {}));

export class ReadStream extends Readable {
  #fd;
  #closes;
  #at;
  #left;
  constructor(path, given) {
    const options = optionsOf(given);
    super({ highWaterMark: options.highWaterMark ?? PIECE_BYTES, encoding: options.encoding, signal: options.signal });
    this.path = path === null ? undefined : pathOf(path);
    this.bytesRead = 0;
    this.#fd = options.fd?.fd ?? options.fd ?? null;
    this.#closes = options.autoClose ?? true;
    this.#at = options.start ?? null;
    this.#left = options.end === undefined ? Infinity : options.end - (options.start ?? 0) + 1;
    if (this.#fd === null) this.#open(options);
    else queueMicrotask(() => this.emit("open", this.#fd));
  }
  #opening;
  #open({ flags = "r", mode }) {
    this.#opening = callAsync("open", this.path, flags, mode).then(
      (fd) => {
        this.#fd = fd;
        this.emit("open", fd);
        this.emit("ready");
      },
      (error) => this.destroy(error),
    );
  }
  async _read(size) {
    await this.#opening;
    if (this.destroyed || this.#fd === null) return;
    const length = Math.min(size, this.#left);
    if (length <= 0) return void this.push(null);
    try {
      const bytes = fromBase64((await opAsync("fs.read", { fd: this.#fd, length, position: this.#at })).base64);
      this.bytesRead += bytes.length;
      this.#left -= bytes.length;
      if (this.#at !== null) this.#at += bytes.length;
      this.push(bytes.length === 0 ? null : Buffer.view(bytes));
    } catch (error) {
      this.destroy(error);
    }
  }
  _destroy(error, callback) {
    const fd = this.#fd;
    this.#fd = null;
    if (fd === null || !this.#closes) return callback(error);
    callAsync("close", fd).then(() => callback(error), () => callback(error));
  }
  close(callback) {
    if (callback) this.once("close", callback);
    this.destroy();
  }
}

export class WriteStream extends Writable {
  #fd;
  #opening;
  #at;
  constructor(path, given) {
    const options = optionsOf(given);
    super({ decodeStrings: true, defaultEncoding: options.encoding, signal: options.signal });
    this.path = path === null ? undefined : pathOf(path);
    this.bytesWritten = 0;
    this.#at = options.start ?? null;
    this.#fd = options.fd?.fd ?? options.fd ?? null;
    this.#opening =
      this.#fd !== null
        ? Promise.resolve()
        : callAsync("open", this.path, options.flags ?? "w", options.mode).then((fd) => {
            this.#fd = fd;
            this.emit("open", fd);
            this.emit("ready");
          });
    this.#opening.catch((error) => this.destroy(error));
  }
  async _write(chunk, _encoding, callback) {
    try {
      await this.#opening;
      const { written } = await opAsync("fs.write", { fd: this.#fd, base64: toBase64(chunk), position: this.#at });
      this.bytesWritten += written;
      if (this.#at !== null) this.#at += written;
      callback();
    } catch (error) {
      callback(error);
    }
  }
  _destroy(error, callback) {
    const fd = this.#fd;
    this.#fd = null;
    if (fd === null) return callback(error);
    callAsync("close", fd).then(() => callback(error), () => callback(error));
  }
  close(callback) {
    if (callback) this.once("close", callback);
    this.end();
  }
}

export const createReadStream = (path, options) => new ReadStream(path, options);
export const createWriteStream = (path, options) => new WriteStream(path, options);
