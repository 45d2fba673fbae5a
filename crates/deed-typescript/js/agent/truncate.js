// Cutting text by lines and bytes, from either end.

import { utf8Decode, utf8Encode, utf8Length } from "deed:bytes";

export const DEFAULT_MAX_LINES = 2000;
export const DEFAULT_MAX_BYTES = 50 * 1024;
const LINE_MAX_CHARS = 500;

export function formatSize(bytes) {
  if (bytes < 1024) return `${bytes}B`;
  const kib = bytes / 1024;
  return kib < 1024 ? `${kib.toFixed(1)}KB` : `${(kib / 1024).toFixed(1)}MB`;
}

/** Splits text into lines; a last line end begins none. */
function linesOf(content) {
  const lines = content.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function describe(content, lines, { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES } = {}) {
  const totalBytes = utf8Length(content);
  const whole = { content, truncated: false, truncatedBy: null, totalLines: lines.length, totalBytes, outputLines: lines.length, outputBytes: totalBytes, lastLinePartial: false, firstLineExceedsLimit: false, maxLines, maxBytes };
  return { whole, fits: lines.length <= maxLines && totalBytes <= maxBytes };
}

function cut(whole, kept, truncatedBy, more = {}) {
  const content = kept.join("\n");
  return { ...whole, content, truncated: true, truncatedBy, outputLines: kept.length, outputBytes: utf8Length(content), ...more };
}

/** Takes whole lines while both limits hold. `add` puts a line where it belongs. */
function takeLines(lines, { maxLines, maxBytes }, add) {
  const kept = [];
  let bytes = 0;
  let byBytes = false;
  for (const line of lines) {
    if (kept.length >= maxLines) break;
    const size = utf8Length(line) + (kept.length > 0 ? 1 : 0);
    byBytes = bytes + size > maxBytes;
    if (byBytes) break;
    add(kept, line);
    bytes += size;
  }
  return { kept, truncatedBy: byBytes ? "bytes" : "lines" };
}

export function truncateHead(content, options) {
  const lines = linesOf(content);
  const { whole, fits } = describe(content, lines, options);
  if (fits) return whole;
  if (utf8Length(lines[0] ?? "") > whole.maxBytes) return cut(whole, [], "bytes", { firstLineExceedsLimit: true });
  const { kept, truncatedBy } = takeLines(lines, whole, (list, line) => list.push(line));
  return cut(whole, kept, truncatedBy);
}

export function truncateTail(content, options) {
  const lines = linesOf(content);
  const { whole, fits } = describe(content, lines, options);
  if (fits) return whole;
  const last = lines.at(-1) ?? "";
  if (whole.maxLines > 0 && utf8Length(last) > whole.maxBytes) return cut(whole, [endOf(last, whole.maxBytes)], "bytes", { lastLinePartial: true });
  const { kept, truncatedBy } = takeLines(lines.toReversed(), whole, (list, line) => list.unshift(line));
  return cut(whole, kept, truncatedBy);
}

/** Returns the end of a line, at most so many bytes, beginning with a whole character. */
function endOf(line, maxBytes) {
  const bytes = utf8Encode(line);
  let start = bytes.length - maxBytes;
  while (start < bytes.length && (bytes[start] & 0xc0) === 0x80) start++;
  return utf8Decode(bytes.subarray(start)).text;
}

export function truncateLine(line, maxChars = LINE_MAX_CHARS) {
  if (line.length <= maxChars) return { text: line, wasTruncated: false };
  const head = line.slice(0, maxChars);
  return { text: `${/[\ud800-\udbff]$/.test(head) ? head.slice(0, -1) : head}... [truncated]`, wasTruncated: true };
}
