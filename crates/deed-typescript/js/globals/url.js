// URL and URLSearchParams.

import { latin1Encode, utf8Decode, utf8Encode } from "deed:bytes";
import { percentDecodeBytes, percentEncode } from "deed:globals/url-host";
import { DEFAULT_PORTS, USERINFO, encodeFragment, encodeQuery, isSpecial, joinPath, parseUrl, readHostAndPort, readPort, writePath, writeUrl } from "deed:globals/url-parse";

function encodeField(text) {
  let out = "";
  for (const byte of utf8Encode(text)) {
    const character = String.fromCharCode(byte);
    if (/[A-Za-z0-9*._-]/.test(character)) out += character;
    else if (byte === 0x20) out += "+";
    else out += `%${byte < 16 ? "0" : ""}${byte.toString(16).toUpperCase()}`;
  }
  return out;
}
const decodeField = (text) => utf8Decode(percentDecodeBytes(text.replaceAll("+", " "))).text;

function parseFields(text) {
  return text
    .split("&")
    .filter((field) => field !== "")
    .map((field) => {
      const at = field.indexOf("=");
      return at < 0 ? [decodeField(field), ""] : [decodeField(field.slice(0, at)), decodeField(field.slice(at + 1))];
    });
}

let linkTo;
let refill;

export class URLSearchParams {
  #list = [];
  #changed = () => {};

  static {
    linkTo = (params, changed) => (params.#changed = changed);
    refill = (params, text) => (params.#list = parseFields(text));
  }

  constructor(init = "") {
    if (init === null || init === undefined) return;
    if (typeof init !== "object" && typeof init !== "function") {
      this.#list = parseFields(String(init).replace(/^\?/, ""));
    } else if (typeof init[Symbol.iterator] === "function") {
      for (const pair of init) {
        const both = [...pair];
        if (both.length !== 2) throw new TypeError("Each query pair must be an iterable [name, value] tuple");
        this.#list.push(both.map(String));
      }
    } else {
      for (const key of Object.keys(init)) this.#list.push([key, String(init[key])]);
    }
  }
  get size() {
    return this.#list.length;
  }
  append(name, value) {
    this.#list.push([String(name), String(value)]);
    this.#changed();
  }
  delete(name, value) {
    this.#list = this.#list.filter(([key, item]) => key !== String(name) || (value !== undefined && item !== String(value)));
    this.#changed();
  }
  get(name) {
    return this.#list.find(([key]) => key === String(name))?.[1] ?? null;
  }
  getAll(name) {
    return this.#list.filter(([key]) => key === String(name)).map(([, value]) => value);
  }
  has(name, value) {
    return this.#list.some(([key, item]) => key === String(name) && (value === undefined || item === String(value)));
  }
  set(name, value) {
    const key = String(name);
    const at = this.#list.findIndex(([other]) => other === key);
    if (at < 0) this.#list.push([key, String(value)]);
    else {
      this.#list[at] = [key, String(value)];
      this.#list = this.#list.filter(([other], index) => other !== key || index === at);
    }
    this.#changed();
  }
  sort() {
    this.#list.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
    this.#changed();
  }
  forEach(callback, self) {
    for (const [name, value] of this.#list) callback.call(self, value, name, this);
  }
  *entries() {
    for (const [name, value] of this.#list) yield [name, value];
  }
  *keys() {
    for (const [name] of this.#list) yield name;
  }
  *values() {
    for (const [, value] of this.#list) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  toString() {
    return this.#list.map(([name, value]) => `${encodeField(name)}=${encodeField(value)}`).join("&");
  }
}

function invalid(input, base) {
  const error = new TypeError("Invalid URL");
  error.code = "ERR_INVALID_URL";
  error.input = String(input);
  if (base !== undefined) error.base = String(base);
  return error;
}

export class URL {
  #record;
  #params;

  constructor(input, base) {
    const from = base === undefined ? null : parseUrl(String(base));
    this.#record = base !== undefined && from === null ? null : parseUrl(String(input), from);
    if (this.#record === null) throw invalid(input, base);
  }
  static canParse(input, base) {
    return URL.parse(input, base) !== null;
  }
  static parse(input, base) {
    try {
      return new URL(input, base);
    } catch {
      return null;
    }
  }

  get href() {
    return writeUrl(this.#record);
  }
  set href(value) {
    const record = parseUrl(String(value));
    if (record === null) throw invalid(value);
    this.#replace(record);
  }
  get origin() {
    const { protocol, path } = this.#record;
    if (protocol === "blob:" && typeof path === "string") return URL.parse(path)?.origin ?? "null";
    return isSpecial(protocol) && protocol !== "file:" ? `${protocol}//${this.host}` : "null";
  }
  get protocol() {
    return this.#record.protocol;
  }
  set protocol(value) {
    const name = `${String(value).replace(/:.*$/s, "").toLowerCase()}:`;
    if (!/^[a-z][a-z0-9+.-]*:$/.test(name) || isSpecial(name) !== isSpecial(this.#record.protocol)) return;
    this.#record.protocol = name;
    if (this.#record.port === DEFAULT_PORTS[name]) this.#record.port = "";
  }
  get username() {
    return this.#record.username;
  }
  set username(value) {
    if (this.#record.host) this.#record.username = percentEncode(String(value), USERINFO);
  }
  get password() {
    return this.#record.password;
  }
  set password(value) {
    if (this.#record.host) this.#record.password = percentEncode(String(value), USERINFO);
  }
  get host() {
    const { host, port } = this.#record;
    return host === null ? "" : port === "" ? host : `${host}:${port}`;
  }
  set host(value) {
    if (typeof this.#record.path === "string") return;
    const record = { ...this.#record };
    const place = String(value).split(/[/\\?#]/)[0];
    if (!readHostAndPort(record, place)) return;
    if (!place.includes(":", place.lastIndexOf("]") + 1)) record.port = this.#record.port;
    this.#record = record;
  }
  get hostname() {
    return this.#record.host ?? "";
  }
  set hostname(value) {
    const record = { ...this.#record };
    if (typeof record.path !== "string" && readHostAndPort(record, String(value).split(/[/\\?#]/)[0])) {
      this.#record.host = record.host;
    }
  }
  get port() {
    return this.#record.port;
  }
  set port(value) {
    if (!this.#record.host || this.#record.protocol === "file:") return;
    const digits = /^[0-9]*/.exec(String(value))[0];
    if (String(value) === "") this.#record.port = "";
    else readPort(this.#record, digits);
  }
  get pathname() {
    return writePath(this.#record);
  }
  set pathname(value) {
    if (typeof this.#record.path === "string") return;
    const text = String(value).replaceAll("?", "%3F").replaceAll("#", "%23");
    this.#record.path = joinPath([], text.replace(isSpecial(this.#record.protocol) ? /^[/\\]/ : /^\//, ""), this.#record.protocol);
  }
  get search() {
    return this.#record.query ? `?${this.#record.query}` : "";
  }
  set search(value) {
    const text = String(value).replace(/^\?/, "");
    this.#record.query = text === "" ? null : encodeQuery(text, isSpecial(this.#record.protocol)).replaceAll("#", "%23");
    if (this.#params) refill(this.#params, text);
  }
  get searchParams() {
    if (!this.#params) {
      this.#params = new URLSearchParams(this.#record.query ?? "");
      linkTo(this.#params, () => (this.#record.query = this.#params.size === 0 ? null : this.#params.toString()));
    }
    return this.#params;
  }
  get hash() {
    return this.#record.fragment ? `#${this.#record.fragment}` : "";
  }
  set hash(value) {
    const text = String(value).replace(/^#/, "");
    this.#record.fragment = text === "" ? null : encodeFragment(text);
  }
  toString() {
    return this.href;
  }
  toJSON() {
    return this.href;
  }

  #replace(record) {
    this.#record = record;
    if (this.#params) refill(this.#params, record.query ?? "");
  }
}

/** Makes bytes of a `data:` URL; undefined if it is none. */
export function readDataUrl(url) {
  const parts = /^data:([^,]*?)(;base64)?,(.*)$/is.exec(url);
  if (!parts) return undefined;
  const bytes = percentDecodeBytes(parts[3]);
  return { type: parts[1] || "text/plain;charset=US-ASCII", bytes: parts[2] ? latin1Encode(atob(utf8Decode(bytes).text)) : bytes };
}
