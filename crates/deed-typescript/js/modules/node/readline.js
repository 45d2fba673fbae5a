// node:readline over any stream; there is no terminal to edit lines in.

import { onAbort } from "deed:globals/events";
import { EventEmitter } from "deed:modules/node/events";
import { StringDecoder } from "deed:modules/node/string_decoder";

export * from "deed:modules/stubs/node/readline";

export class Interface extends EventEmitter {
  #input;
  #output;
  #decoder = new StringDecoder("utf8");
  #rest = "";
  #closed = false;
  #paused = false;
  #held = [];
  #prompt = "> ";
  #asked = null;
  #sawReturn = false;

  constructor(options, output) {
    super();
    const settings = typeof options?.on === "function" ? { input: options, output } : options;
    this.#input = settings.input;
    this.#output = settings.output;
    this.#prompt = settings.prompt ?? this.#prompt;
    this.terminal = false;
    this.line = "";
    this.#input.on("data", this.#take);
    this.#input.on("end", this.#finish);
    this.#input.on("error", this.#fail);
    onAbort(settings.signal, () => this.close());
    this.#input.resume?.();
  }
  #fail = (error) => {
    if (this.listenerCount("error") > 0) this.emit("error", error);
    this.close();
  };
  #take = (chunk) => {
    let text = this.#rest + (typeof chunk === "string" ? chunk : this.#decoder.write(chunk));
    if (this.#sawReturn && text.startsWith("\n")) text = text.slice(1);
    this.#sawReturn = text.endsWith("\r");
    const lines = text.split(/\r\n|\n|\r/);
    this.#rest = lines.pop();
    for (const line of lines) this.#give(line);
  };
  #give(line) {
    if (this.#paused) this.#held.push(line);
    else if (this.#asked) {
      const answer = this.#asked;
      this.#asked = null;
      answer(line);
    } else this.emit("line", line);
  }
  #finish = () => {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = "";
    if (rest !== "") this.#give(rest);
    this.close();
  };
  get closed() {
    return this.#closed;
  }
  close() {
    if (this.#closed) return;
    if (this.#held.length > 0) this.resume();
    this.#closed = true;
    this.#input.off("data", this.#take).off("end", this.#finish).off("error", this.#fail);
    this.#input.pause?.();
    this.emit("close");
  }
  pause() {
    this.#paused = true;
    this.#input.pause?.();
    this.emit("pause");
    return this;
  }
  resume() {
    this.#paused = false;
    for (const line of this.#held.splice(0)) this.#give(line);
    this.#input.resume?.();
    this.emit("resume");
    return this;
  }
  setPrompt(prompt) {
    this.#prompt = prompt;
  }
  getPrompt() {
    return this.#prompt;
  }
  prompt() {
    this.#output?.write(this.#prompt);
  }
  write(text) {
    if (text !== null && text !== undefined) this.#take(String(text));
  }
  question(query, options, callback) {
    this.#output?.write(query);
    this.#asked = callback ?? options;
  }
  [Symbol.asyncIterator]() {
    const lines = [];
    let wake = () => {};
    let ended = this.#closed;
    this.on("line", (line) => (lines.push(line), wake()));
    this.on("close", () => ((ended = true), wake()));
    const close = () => this.close();
    return (async function* () {
      try {
        while (lines.length > 0 || !ended) {
          if (lines.length > 0) yield lines.shift();
          else await new Promise((resolve) => (wake = resolve));
        }
      } finally {
        close();
      }
    })();
  }
  [Symbol.dispose]() {
    this.close();
  }
}

export const createInterface = (options, output) => new Interface(options, output);
const write = (text) => (stream, ...rest) => {
  stream.write(typeof text === "function" ? text(...rest) : text);
  return true;
};
export const clearLine = write((direction) => `\u001b[${direction < 0 ? 1 : direction > 0 ? 0 : 2}K`);
export const clearScreenDown = write("\u001b[0J");
export const cursorTo = write((x, y) => (typeof y === "number" ? `\u001b[${y + 1};${x + 1}H` : `\u001b[${x + 1}G`));
export const moveCursor = write((dx, dy) => `${dx ? `\u001b[${Math.abs(dx)}${dx > 0 ? "C" : "D"}` : ""}${dy ? `\u001b[${Math.abs(dy)}${dy > 0 ? "B" : "A"}` : ""}`);
export const emitKeypressEvents = () => {};
export default { clearLine, clearScreenDown, createInterface, cursorTo, emitKeypressEvents, Interface, moveCursor };
