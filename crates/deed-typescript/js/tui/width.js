// Widths of text in a terminal: control sequences take no place, wide characters take two.

import { Intl } from "deed:globals/intl";
import { SEQUENCE, stripTerminalSequences } from "deed:tui/sequences";

const ZERO = /^[\p{M}\p{Cf}\p{Cc}]+$/u;
const segmenter = new Intl.Segmenter();

/** Ranges of characters that take two columns. Source: East Asian Width of Unicode, W and F. */
const WIDE = [[0x1100, 0x115f], [0x231a, 0x231b], [0x2329, 0x232a], [0x23e9, 0x23ec], [0x23f0, 0x23f0], [0x23f3, 0x23f3], [0x25fd, 0x25fe], [0x2614, 0x2615], [0x2648, 0x2653], [0x267f, 0x267f], [0x2693, 0x2693], [0x26a1, 0x26a1], [0x26aa, 0x26ab], [0x26bd, 0x26be], [0x26c4, 0x26c5], [0x26ce, 0x26ce], [0x26d4, 0x26d4], [0x26ea, 0x26ea], [0x26f2, 0x26f3], [0x26f5, 0x26f5], [0x26fa, 0x26fa], [0x26fd, 0x26fd], [0x2705, 0x2705], [0x270a, 0x270b], [0x2728, 0x2728], [0x274c, 0x274c], [0x274e, 0x274e], [0x2753, 0x2755], [0x2757, 0x2757], [0x2795, 0x2797], [0x27b0, 0x27b0], [0x27bf, 0x27bf], [0x2b1b, 0x2b1c], [0x2b50, 0x2b50], [0x2b55, 0x2b55], [0x2e80, 0x303e], [0x3041, 0xa4cf], [0xa960, 0xa97c], [0xac00, 0xd7a3], [0xf900, 0xfaff], [0xfe10, 0xfe19], [0xfe30, 0xfe6f], [0xff00, 0xff60], [0xffe0, 0xffe6], [0x16fe0, 0x18cff], [0x1aff0, 0x1b2ff], [0x1f004, 0x1f004], [0x1f0cf, 0x1f0cf], [0x1f18e, 0x1f18e], [0x1f191, 0x1f19a], [0x1f1e6, 0x1f202], [0x1f210, 0x1f23b], [0x1f240, 0x1f248], [0x1f250, 0x1f251], [0x1f260, 0x1f265], [0x1f300, 0x1f320], [0x1f32d, 0x1f335], [0x1f337, 0x1f37c], [0x1f37e, 0x1f393], [0x1f3a0, 0x1f3ca], [0x1f3cf, 0x1f3d3], [0x1f3e0, 0x1f3f0], [0x1f3f4, 0x1f3f4], [0x1f3f8, 0x1f43e], [0x1f440, 0x1f440], [0x1f442, 0x1f4fc], [0x1f4ff, 0x1f53d], [0x1f54b, 0x1f54e], [0x1f550, 0x1f567], [0x1f57a, 0x1f57a], [0x1f595, 0x1f596], [0x1f5a4, 0x1f5a4], [0x1f5fb, 0x1f64f], [0x1f680, 0x1f6c5], [0x1f6cc, 0x1f6cc], [0x1f6d0, 0x1f6d2], [0x1f6d5, 0x1f6d7], [0x1f6dc, 0x1f6df], [0x1f6eb, 0x1f6ec], [0x1f6f4, 0x1f6fc], [0x1f7e0, 0x1f7eb], [0x1f7f0, 0x1f7f0], [0x1f90c, 0x1f93a], [0x1f93c, 0x1f945], [0x1f947, 0x1f9ff], [0x1fa70, 0x1faff], [0x20000, 0x3fffd]];

function isWide(point) {
  let low = 0;
  let high = WIDE.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (point < WIDE[middle][0]) high = middle - 1;
    else if (point > WIDE[middle][1]) low = middle + 1;
    else return true;
  }
  return false;
}

function widthOfCharacter(character) {
  if (character === "\t") return 3;
  if (ZERO.test(character)) return 0;
  if (character.includes("\ufe0f")) return 2;
  return isWide(character.codePointAt(0)) ? 2 : 1;
}

/** Takes text apart into control sequences, of no width, and characters as a reader sees them. */
export function* pieces(text) {
  let at = 0;
  while (at < text.length) {
    SEQUENCE.lastIndex = at;
    const sequence = text[at] === "\u001b" ? SEQUENCE.exec(text)?.[0] : undefined;
    if (sequence) {
      yield { text: sequence, width: 0, isSequence: true };
      at += sequence.length;
      continue;
    }
    const next = text.indexOf("\u001b", at + 1);
    const plain = text.slice(at, next < 0 ? text.length : next);
    if (/^[\x20-\x7e]*$/.test(plain)) for (const character of plain) yield { text: character, width: 1, isSequence: false };
    else for (const { segment } of segmenter.segment(plain)) yield { text: segment, width: widthOfCharacter(segment), isSequence: false };
    at += plain.length;
  }
}

export function visibleWidth(text) {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const piece of pieces(text)) width += piece.width;
  return width;
}

export { stripTerminalSequences };

export const replaceControlCharacters = (text) => text.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "\ufffd");

const RESET = "\u001b[0m";

/** Cuts text to a width; what was cut is shown by `ellipsis`. */
export function truncateToWidth(text, maxWidth, ellipsis = "...", pad = false) {
  const width = visibleWidth(text);
  if (width <= maxWidth) return pad ? text + " ".repeat(maxWidth - width) : text;
  const room = maxWidth - visibleWidth(ellipsis);
  if (room <= 0) return sliceByColumn(ellipsis, 0, maxWidth);
  let out = "";
  let used = 0;
  for (const piece of pieces(text)) {
    if (used + piece.width > room) break;
    out += piece.text;
    used += piece.width;
  }
  const whole = `${out}${RESET}${ellipsis}${RESET}`;
  return pad ? whole + " ".repeat(Math.max(0, maxWidth - used - visibleWidth(ellipsis))) : whole;
}

/** Cuts columns out of a line. A wide character at an edge is left out if `strict` is set. */
export function sliceByColumn(line, start, length, strict = false) {
  let out = "";
  let column = 0;
  for (const piece of pieces(line)) {
    const inside = column >= start && column < start + length && (!strict || column + piece.width <= start + length);
    if (piece.isSequence ? column < start + length : inside) out += piece.text;
    column += piece.width;
  }
  return out;
}

/** Breaks text into lines of at most a width, between words where it can. */
export function wrapTextWithAnsi(text, width) {
  return text.split("\n").flatMap((line) => wrapLine(line, Math.max(1, width)));
}

function wrapLine(line, width) {
  if (visibleWidth(line) <= width) return [line];
  const lines = [];
  const style = [];
  let current = "";
  let used = 0;
  const push = () => {
    lines.push(current.replace(/ +$/, ""));
    current = style.join("");
    used = 0;
  };
  for (const word of wordsOf(line)) {
    if (word.isSequence) {
      current += word.text;
      if (/^\u001b\[0?m$/.test(word.text)) style.length = 0;
      else if (word.text.endsWith("m")) style.push(word.text);
      continue;
    }
    if (used > 0 && used + word.width > width) push();
    if (used === 0 && lines.length > 0 && /^ +$/.test(word.text)) continue;
    for (const piece of word.width > width ? pieces(word.text) : [word]) {
      if (used + piece.width > width) push();
      current += piece.text;
      used += piece.width;
    }
  }
  lines.push(current);
  return lines;
}

/** Gathers pieces into words and runs of blanks. */
function* wordsOf(line) {
  let word = "";
  let width = 0;
  const flush = function* () {
    if (word !== "") yield { text: word, width, isSequence: false };
    word = "";
    width = 0;
  };
  for (const piece of pieces(line)) {
    const blank = piece.text === " ";
    if (piece.isSequence || (word !== "" && blank !== /^ +$/.test(word))) yield* flush();
    if (piece.isSequence) yield piece;
    else {
      word += piece.text;
      width += piece.width;
    }
  }
  yield* flush();
}
