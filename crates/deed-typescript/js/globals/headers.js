// Headers of requests and answers.

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

function nameOf(name) {
  const text = String(name);
  if (!NAME.test(text)) throw new TypeError(`Headers: "${text}" is an invalid header name.`);
  return text.toLowerCase();
}

function valueOf(value) {
  const text = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
  if (/[\0\n\r]/.test(text)) throw new TypeError("Headers: a value holds a line break.");
  return text;
}

export class Headers {
  #list = new Map();

  constructor(init) {
    if (init === undefined || init === null) return;
    const pairs = typeof init[Symbol.iterator] === "function" ? init : Object.entries(init);
    for (const [name, value] of pairs) this.append(name, value);
  }
  append(name, value) {
    const key = nameOf(name);
    this.#list.set(key, [...(this.#list.get(key) ?? []), valueOf(value)]);
  }
  set(name, value) {
    this.#list.set(nameOf(name), [valueOf(value)]);
  }
  delete(name) {
    this.#list.delete(nameOf(name));
  }
  get(name) {
    return this.#list.get(nameOf(name))?.join(", ") ?? null;
  }
  has(name) {
    return this.#list.has(nameOf(name));
  }
  getSetCookie() {
    return [...(this.#list.get("set-cookie") ?? [])];
  }
  forEach(callback, self) {
    for (const [name, value] of this) callback.call(self, value, name, this);
  }
  *entries() {
    for (const name of [...this.#list.keys()].sort()) {
      if (name === "set-cookie") for (const value of this.#list.get(name)) yield [name, value];
      else yield [name, this.#list.get(name).join(", ")];
    }
  }
  *keys() {
    for (const [name] of this.entries()) yield name;
  }
  *values() {
    for (const [, value] of this.entries()) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
}
