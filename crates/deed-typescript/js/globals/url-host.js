// Hosts of URLs: names, IPv4 in all its spellings, IPv6.

import { utf8Decode, utf8Encode } from "deed:bytes";

const FORBIDDEN = /[\x00-\x20"#%/:<>?@[\\\]^`{|}\x7f]/;
const FORBIDDEN_OPAQUE = /[\x00\t\n\r #/:<>?@[\\\]^|]/;

/** Turns `%41` into the byte it stands for; what is no such triple stays. */
export function percentDecodeBytes(text) {
  const bytes = utf8Encode(text);
  const out = [];
  for (let at = 0; at < bytes.length; at++) {
    const pair = bytes[at] === 0x25 ? String.fromCharCode(bytes[at + 1] ?? 0, bytes[at + 2] ?? 0) : "";
    if (/^[0-9a-fA-F]{2}$/.test(pair)) {
      out.push(Number.parseInt(pair, 16));
      at += 2;
    } else out.push(bytes[at]);
  }
  return Uint8Array.from(out);
}

/** Percent-encodes what `unsafe` tells of, and all that is not ASCII. */
export function percentEncode(text, unsafe) {
  let out = "";
  for (const character of text) {
    const point = character.codePointAt(0);
    if (point > 0x1f && point < 0x7f && !unsafe.includes(character)) {
      out += character;
      continue;
    }
    for (const byte of utf8Encode(character)) {
      out += `%${byte < 16 ? "0" : ""}${byte.toString(16).toUpperCase()}`;
    }
  }
  return out;
}

function ipv4Number(text) {
  if (text === "") return undefined;
  if (/^0[xX][0-9a-fA-F]*$/.test(text)) return text.length === 2 ? 0 : Number.parseInt(text.slice(2), 16);
  if (/^0[0-7]+$/.test(text)) return Number.parseInt(text, 8);
  return /^[0-9]+$/.test(text) ? Number(text) : undefined;
}

/** Returns undefined if the name is no IPv4 address, null if it is a broken one. */
function ipv4(name) {
  const parts = name.split(".");
  if (parts.at(-1) === "" && parts.length > 1) parts.pop();
  const last = parts.at(-1);
  if (!/^([0-9]+|0[xX][0-9a-fA-F]*)$/.test(last)) return undefined;
  if (parts.length > 4) return null;
  const numbers = parts.map(ipv4Number);
  if (numbers.some((number) => number === undefined)) return null;
  const tail = numbers.pop();
  if (numbers.some((number) => number > 255) || tail >= 256 ** (4 - numbers.length)) return null;
  const value = numbers.reduce((sum, number, index) => sum + number * 256 ** (3 - index), tail);
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
}

function ipv6(text) {
  let source = text;
  const v4 = /(^|:)(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(source);
  if (v4) {
    const bytes = v4.slice(2).map(Number);
    if (bytes.some((byte) => byte > 255)) return null;
    const words = [bytes[0] * 256 + bytes[1], bytes[2] * 256 + bytes[3]].map((word) => word.toString(16));
    source = source.slice(0, v4.index) + v4[1] + words.join(":");
  }
  const halves = source.split("::");
  if (halves.length > 2) return null;
  const read = (half) => (half === "" ? [] : half.split(":"));
  const head = read(halves[0]);
  const tail = halves.length === 2 ? read(halves[1]) : [];
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  const words = [...head, ...new Array(Math.max(missing, 0)).fill("0"), ...tail];
  if (!words.every((word) => /^[0-9a-fA-F]{1,4}$/.test(word))) return null;
  return shortIpv6(words.map((word) => Number.parseInt(word, 16)));
}

function shortIpv6(words) {
  let best = { at: -1, length: 1 };
  for (let at = 0; at < 8; at++) {
    let length = 0;
    while (words[at + length] === 0 && at + length < 8) length++;
    if (length > best.length) best = { at, length };
  }
  const hex = words.map((word) => word.toString(16));
  if (best.at < 0) return hex.join(":");
  return `${hex.slice(0, best.at).join(":")}::${hex.slice(best.at + best.length).join(":")}`;
}

const BASE = 36;
const adapt = (delta, count, first) => {
  let left = first ? Math.floor(delta / 700) : delta >> 1;
  left += Math.floor(left / count);
  let steps = 0;
  for (; left > 455; steps += BASE) left = Math.floor(left / 35);
  return steps + Math.floor((36 * left) / (left + 38));
};

/** Encodes one label of a name in Punycode (RFC 3492). */
function punycode(label) {
  const points = Array.from(label, (character) => character.codePointAt(0));
  let out = points.filter((point) => point < 0x80).map((point) => String.fromCharCode(point)).join("");
  const basic = out.length;
  let handled = basic;
  if (basic > 0) out += "-";
  let n = 128;
  let delta = 0;
  let bias = 72;
  while (handled < points.length) {
    const next = Math.min(...points.filter((point) => point >= n));
    delta += (next - n) * (handled + 1);
    n = next;
    for (const point of points) {
      if (point < n) delta++;
      if (point !== n) continue;
      let q = delta;
      for (let k = BASE; ; k += BASE) {
        const t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
        if (q < t) break;
        out += (t + ((q - t) % (BASE - t))).toString(36).replace(/./, (d) => digit(d));
        q = Math.floor((q - t) / (BASE - t));
      }
      out += digit(q.toString(36));
      bias = adapt(delta, handled + 1, handled === basic);
      delta = 0;
      handled++;
    }
    delta++;
    n++;
  }
  return `xn--${out}`;
}

/** Punycode counts letters first and then digits; base 36 the other way round. */
function digit(base36) {
  const value = Number.parseInt(base36, 36);
  return value < 26 ? String.fromCharCode(97 + value) : String.fromCharCode(22 + value);
}

/** Brings a host into its one form; null if it is none. */
export function parseHost(text, special) {
  if (text.startsWith("[")) {
    if (!text.endsWith("]")) return null;
    const address = ipv6(text.slice(1, -1));
    return address === null ? null : `[${address}]`;
  }
  if (!special) return FORBIDDEN_OPAQUE.test(text) ? null : percentEncode(text, "");
  const name = utf8Decode(percentDecodeBytes(text)).text.normalize("NFKC").toLowerCase().replace(/[。．｡]/g, ".").replaceAll("\u00ad", "");
  const ascii = name.split(".").map((label) => (/[^\x00-\x7f]/.test(label) ? punycode(label) : label)).join(".");
  if (ascii === "" || FORBIDDEN.test(ascii)) return null;
  const address = ipv4(ascii);
  return address === undefined ? ascii : address;
}
