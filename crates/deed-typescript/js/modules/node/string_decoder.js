// node:string_decoder.

import { Buffer, encodingName } from "deed:globals/buffer";
import { TextDecoder } from "deed:globals/encoding";
import { codedError } from "deed:errors";

export * from "deed:modules/stubs/node/string_decoder";

const STREAMED = { utf8: "utf-8", utf16le: "utf-16le" };

export class StringDecoder {
  #decoder;
  #kept = Buffer.alloc(0);
  constructor(encoding = "utf8") {
    const name = encodingName(encoding);
    if (!name) throw codedError(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${encoding}`);
    this.encoding = name;
    if (STREAMED[name]) this.#decoder = new TextDecoder(STREAMED[name], { ignoreBOM: true });
  }
  write(chunk) {
    if (typeof chunk === "string") return chunk;
    if (this.#decoder) return this.#decoder.decode(chunk, { stream: true });
    if (!this.encoding.startsWith("base64")) return Buffer.from(chunk).toString(this.encoding);
    const whole = Buffer.concat([this.#kept, chunk]);
    const used = whole.length - (whole.length % 3);
    this.#kept = Buffer.from(whole.subarray(used));
    return whole.toString(this.encoding, 0, used);
  }
  end(chunk) {
    const text = chunk === undefined ? "" : this.write(chunk);
    if (this.#decoder) return text + this.#decoder.decode();
    const rest = this.#kept.toString(this.encoding);
    this.#kept = Buffer.alloc(0);
    return text + rest;
  }
}
export default { StringDecoder };
