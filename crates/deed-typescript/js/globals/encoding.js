// TextEncoder and TextDecoder: UTF-8, UTF-16 with the low byte first, and Latin-1.

import { latin1Decode, utf16Decode, utf8Decode, utf8Encode } from "deed:bytes";

const LABELS = new Map(
  Object.entries({
    "utf-8": ["utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8"],
    "utf-16le": ["utf-16le", "utf-16", "ucs-2", "iso-10646-ucs-2", "unicode", "unicodefeff", "csunicode"],
    "windows-1252": ["windows-1252", "latin1", "iso-8859-1", "iso8859-1", "ascii", "us-ascii", "l1", "cp1252", "x-cp1252", "iso88591"],
  }).flatMap(([name, labels]) => labels.map((label) => [label, name])),
);
/** What Windows-1252 has where Latin-1 has control characters, from 0x80 on. */
const WINDOWS = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

const bytesOf = (input) => {
  if (input === undefined) return new Uint8Array(0);
  if (input instanceof ArrayBuffer || input instanceof SharedArrayBuffer) return new Uint8Array(input);
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  const error = new TypeError('The "input" argument must be an instance of ArrayBuffer or ArrayBufferView');
  error.code = "ERR_INVALID_ARG_TYPE";
  throw error;
};

export class TextEncoder {
  get encoding() {
    return "utf-8";
  }
  encode(text = "") {
    return utf8Encode(String(text));
  }
  encodeInto(text, target) {
    let read = 0;
    let written = 0;
    for (const character of String(text)) {
      const bytes = utf8Encode(character);
      if (written + bytes.length > target.length) break;
      target.set(bytes, written);
      written += bytes.length;
      read += character.length;
    }
    return { read, written };
  }
}

export class TextDecoder {
  #encoding;
  #fatal;
  #ignoreBOM;
  #kept = new Uint8Array(0);
  #started = false;

  constructor(label = "utf-8", options = {}) {
    this.#encoding = LABELS.get(String(label).trim().toLowerCase());
    if (!this.#encoding) {
      const error = new RangeError(`The "${label}" encoding is not supported`);
      error.code = "ERR_ENCODING_NOT_SUPPORTED";
      throw error;
    }
    this.#fatal = Boolean(options?.fatal);
    this.#ignoreBOM = Boolean(options?.ignoreBOM);
  }
  get encoding() {
    return this.#encoding;
  }
  get fatal() {
    return this.#fatal;
  }
  get ignoreBOM() {
    return this.#ignoreBOM;
  }

  decode(input, options = {}) {
    const stream = Boolean(options?.stream);
    let bytes = bytesOf(input);
    if (this.#kept.length > 0) {
      const joined = new Uint8Array(this.#kept.length + bytes.length);
      joined.set(this.#kept);
      joined.set(bytes, this.#kept.length);
      bytes = joined;
    }
    const [text, used] = this.#read(bytes, stream);
    this.#kept = stream ? bytes.slice(used) : new Uint8Array(0);
    const first = !this.#started;
    this.#started = stream && (this.#started || text.length > 0);
    return first && !this.#ignoreBOM && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }

  #read(bytes, stream) {
    if (this.#encoding === "windows-1252") {
      const text = latin1Decode(bytes).replace(/[\x80-\x9f]/g, (c) => WINDOWS[c.charCodeAt(0) - 0x80]);
      return [text, bytes.length];
    }
    if (this.#encoding === "utf-16le") return this.#readUtf16(bytes, stream);
    const { text, used } = utf8Decode(bytes, { fatal: this.#fatal, stream });
    return [text, used];
  }

  #readUtf16(bytes, stream) {
    let used = bytes.length - (bytes.length % 2);
    let text = utf16Decode(bytes.subarray(0, used));
    const cut = /[\ud800-\udbff]$/.test(text);
    if (stream && cut) {
      text = text.slice(0, -1);
      used -= 2;
    }
    const odd = !stream && used < bytes.length;
    if (this.#fatal && (odd || !text.isWellFormed())) {
      throw new TypeError("The encoded data was not valid for encoding utf-16le");
    }
    return [text.toWellFormed() + (odd ? "\ufffd" : ""), used];
  }
}
