// Bytes and text: UTF-8, base64, hexadecimal. The engine has base64 and hexadecimal of its own.

const CHUNK = 8192;

/** Encodes text as UTF-8; half a surrogate pair becomes U+FFFD. */
export function utf8Encode(text) {
  const length = text.length;
  let bytes = new Uint8Array(length);
  let at = 0;
  while (at < length) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) break;
    bytes[at++] = unit;
  }
  if (at === length) return bytes;
  const head = at;
  const whole = new Uint8Array(head + (length - head) * 3);
  whole.set(bytes.subarray(0, head));
  bytes = whole;
  let out = head;
  for (; at < length; at++) {
    let point = text.charCodeAt(at);
    if (point >= 0xd800 && point <= 0xdfff) {
      const low = at + 1 < length ? text.charCodeAt(at + 1) : 0;
      if (point <= 0xdbff && low >= 0xdc00 && low <= 0xdfff) {
        point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
        at++;
      } else {
        point = 0xfffd;
      }
    }
    if (point < 0x80) {
      bytes[out++] = point;
    } else if (point < 0x800) {
      bytes[out++] = 0xc0 | (point >> 6);
      bytes[out++] = 0x80 | (point & 0x3f);
    } else if (point < 0x10000) {
      bytes[out++] = 0xe0 | (point >> 12);
      bytes[out++] = 0x80 | ((point >> 6) & 0x3f);
      bytes[out++] = 0x80 | (point & 0x3f);
    } else {
      bytes[out++] = 0xf0 | (point >> 18);
      bytes[out++] = 0x80 | ((point >> 12) & 0x3f);
      bytes[out++] = 0x80 | ((point >> 6) & 0x3f);
      bytes[out++] = 0x80 | (point & 0x3f);
    }
  }
  return bytes.slice(0, out);
}

/** Returns how many bytes text takes as UTF-8. */
export function utf8Length(text) {
  let total = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) total += 1;
    else if (unit < 0x800) total += 2;
    else if (unit >= 0xd800 && unit <= 0xdbff) {
      const low = at + 1 < text.length ? text.charCodeAt(at + 1) : 0;
      if (low >= 0xdc00 && low <= 0xdfff) {
        total += 4;
        at++;
      } else total += 3;
    } else total += 3;
  }
  return total;
}

/**
 * Tells what a lead byte asks for: how many bytes follow, and the range of the first of them.
 * Undefined if it begins nothing.
 */
function leadOf(byte) {
  if (byte >= 0xc2 && byte <= 0xdf) return [1, 0x80, 0xbf];
  if (byte === 0xe0) return [2, 0xa0, 0xbf];
  if (byte === 0xed) return [2, 0x80, 0x9f];
  if (byte >= 0xe1 && byte <= 0xef) return [2, 0x80, 0xbf];
  if (byte === 0xf0) return [3, 0x90, 0xbf];
  if (byte === 0xf4) return [3, 0x80, 0x8f];
  if (byte >= 0xf1 && byte <= 0xf3) return [3, 0x80, 0xbf];
  return undefined;
}

/**
 * Decodes UTF-8 as the Encoding Standard says. Gives the text and how many bytes were used: fewer
 * than all only if `stream` is set and the end is cut. Throws a TypeError if `fatal` is set and the
 * bytes are not UTF-8.
 */
export function utf8Decode(bytes, { fatal = false, stream = false } = {}) {
  const parts = [];
  let units = [];
  const put = (point) => {
    if (point > 0xffff) {
      units.push(0xd800 + ((point - 0x10000) >> 10), 0xdc00 + ((point - 0x10000) & 0x3ff));
    } else units.push(point);
    if (units.length >= CHUNK) {
      parts.push(String.fromCharCode.apply(null, units));
      units = [];
    }
  };
  const broken = () => {
    if (fatal) throw new TypeError("The encoded data was not valid for encoding utf-8");
    put(0xfffd);
  };
  const end = bytes.length;
  let at = 0;
  while (at < end) {
    const byte = bytes[at];
    if (byte < 0x80) {
      put(byte);
      at++;
      continue;
    }
    const lead = leadOf(byte);
    if (!lead) {
      broken();
      at++;
      continue;
    }
    const [more, low, high] = lead;
    let point = byte & (0x3f >> more);
    let seen = 0;
    while (seen < more && at + 1 + seen < end) {
      const next = bytes[at + 1 + seen];
      const fits = seen === 0 ? next >= low && next <= high : next >= 0x80 && next <= 0xbf;
      if (!fits) break;
      point = (point << 6) | (next & 0x3f);
      seen++;
    }
    if (seen === more) {
      put(point);
    } else if (stream && at + 1 + seen >= end) {
      break;
    } else {
      broken();
    }
    at += 1 + seen;
  }
  if (units.length > 0) parts.push(String.fromCharCode.apply(null, units));
  return { text: parts.join(""), used: at };
}

/** Makes text of bytes, one unit a byte. */
export function latin1Decode(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) {
    text += String.fromCharCode.apply(null, bytes.subarray(at, at + CHUNK));
  }
  return text;
}

/** Makes bytes of text, the low byte of each unit. */
export function latin1Encode(text) {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Makes text of bytes in UTF-16, low byte first; an odd last byte is left out. */
export function utf16Decode(bytes) {
  let text = "";
  const units = [];
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    units.push(bytes[at] | (bytes[at + 1] << 8));
    if (units.length >= CHUNK) text += String.fromCharCode.apply(null, units.splice(0));
  }
  return text + String.fromCharCode.apply(null, units);
}

/** Makes bytes of text in UTF-16, low byte first. */
export function utf16Encode(text) {
  const bytes = new Uint8Array(text.length * 2);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    bytes[at * 2] = unit & 0xff;
    bytes[at * 2 + 1] = unit >> 8;
  }
  return bytes;
}

/** Writes bytes as base64. */
export const bytesToBase64 = (bytes, options) =>
  Uint8Array.prototype.toBase64.call(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), options);

/** Reads strict base64, as the host writes it. */
export const base64ToBytes = (text) => Uint8Array.fromBase64(text);

/** Reads base64 or base64url as leniently as node does: what is no digit is skipped, `=` ends it. */
export function looseBase64ToBytes(text) {
  const end = text.indexOf("=");
  let digits = (end < 0 ? text : text.slice(0, end)).replace(/[^A-Za-z0-9+/_-]/g, "");
  digits = digits.replaceAll("-", "+").replaceAll("_", "/");
  if (digits.length % 4 === 1) digits = digits.slice(0, -1);
  return Uint8Array.fromBase64(digits, { lastChunkHandling: "loose" });
}

/** Writes bytes in hexadecimal. */
export function bytesToHex(bytes) {
  let text = "";
  for (const byte of bytes) text += (byte < 16 ? "0" : "") + byte.toString(16);
  return text;
}

/** Reads hexadecimal up to the first pair that is none, as node does. */
export function hexToBytes(text) {
  const bytes = [];
  for (let at = 0; at + 1 < text.length; at += 2) {
    const pair = text.slice(at, at + 2);
    if (!/^[0-9a-fA-F]{2}$/.test(pair)) break;
    bytes.push(Number.parseInt(pair, 16));
  }
  return Uint8Array.from(bytes);
}
