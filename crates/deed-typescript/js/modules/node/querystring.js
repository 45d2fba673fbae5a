// node:querystring.

export * from "deed:modules/stubs/node/querystring";

const KEPT = /[A-Za-z0-9\-_.!~*'()]/;
export const escape = (text) => [...String(text)].map((c) => (KEPT.test(c) ? c : encodeURIComponent(c.toWellFormed()))).join("");
export function unescape(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return globalThis.Buffer.from(text.replace(/%[0-9a-fA-F]{2}/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16))), "latin1").toString();
  }
}
const one = (value) => (typeof value === "number" && !Number.isFinite(value) ? "" : ["string", "number", "bigint", "boolean"].includes(typeof value) ? String(value) : "");

export function stringify(fields, separator = "&", equals = "=", options = {}) {
  const encode = options.encodeURIComponent ?? escape;
  return Object.entries(fields ?? {})
    .flatMap(([name, value]) => [value].flat().map((item) => `${encode(name)}${equals}${encode(one(item))}`))
    .join(separator);
}

export function parse(text, separator = "&", equals = "=", options = {}) {
  const decode = options.decodeURIComponent ?? unescape;
  const fields = Object.create(null);
  const parts = typeof text === "string" && text !== "" ? text.split(separator) : [];
  for (const part of parts.slice(0, options.maxKeys === 0 ? undefined : (options.maxKeys ?? 1000))) {
    if (part === "") continue;
    const at = part.indexOf(equals);
    const [name, value] = (at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + equals.length)]).map((piece) => decode(piece.replaceAll("+", " ")));
    if (Object.hasOwn(fields, name)) fields[name] = [fields[name], value].flat();
    else fields[name] = value;
  }
  return fields;
}
export { parse as decode, stringify as encode };
export default { decode: parse, encode: stringify, escape, parse, stringify, unescape };
