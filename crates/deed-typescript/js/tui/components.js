// Passive components: they keep what they were given, and can write it as plain lines. A front end
// of the host draws the blocks that are made of them.

import { stripTerminalSequences, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "deed:tui/width";

const blankLines = (count) => new Array(Math.max(0, count)).fill("");
const padded = (lines, x, y) => [...blankLines(y), ...lines.map((line) => " ".repeat(x) + line), ...blankLines(y)];

export class Text {
  constructor(text = "", paddingX = 1, paddingY = 1, customBgFn) {
    Object.assign(this, { text, paddingX, paddingY, customBgFn });
  }
  setText(text) {
    this.text = text;
  }
  setCustomBgFn(customBgFn) {
    this.customBgFn = customBgFn;
  }
  setPaddingX(paddingX) {
    this.paddingX = paddingX;
  }
  invalidate() {}
  render(width) {
    if (String(this.text).trim() === "") return [];
    return padded(wrapTextWithAnsi(String(this.text).replaceAll("\t", "   "), width - 2 * this.paddingX), this.paddingX, this.paddingY);
  }
}

export class TruncatedText {
  constructor(text, paddingX = 0, paddingY = 0) {
    Object.assign(this, { text, paddingX, paddingY });
  }
  setText(text) {
    this.text = text;
  }
  invalidate() {}
  render(width) {
    const line = String(this.text).split("\n")[0];
    return padded([truncateToWidth(line, width - 2 * this.paddingX)], this.paddingX, this.paddingY);
  }
}

export class Markdown {
  constructor(text, paddingX = 0, paddingY = 0, theme, defaultTextStyle, options) {
    Object.assign(this, { text, paddingX, paddingY, theme, defaultTextStyle, options });
  }
  setText(text) {
    this.text = text;
  }
  invalidate() {}
  render(width) {
    if (String(this.text).trim() === "") return [];
    return padded(wrapTextWithAnsi(String(this.text), width - 2 * this.paddingX), this.paddingX, this.paddingY);
  }
}

export class Spacer {
  constructor(lines = 1) {
    this.lines = lines;
  }
  setLines(lines) {
    this.lines = lines;
  }
  invalidate() {}
  render() {
    return blankLines(this.lines);
  }
}

export class Image {
  constructor(base64Data, mimeType, theme, options = {}, dimensions) {
    Object.assign(this, { base64Data, mimeType, theme, options, dimensions });
  }
  getImageId() {
    return this.options.imageId;
  }
  invalidate() {}
  render() {
    return [`[image: ${this.mimeType}${this.options.filename ? ` ${this.options.filename}` : ""}]`];
  }
}

export class Container {
  children = [];
  addChild(component) {
    this.children.push(component);
  }
  removeChild(component) {
    this.children = this.children.filter((child) => child !== component);
  }
  clear() {
    this.children = [];
  }
  invalidate() {
    for (const child of this.children) child.invalidate?.();
  }
  render(width) {
    return this.children.flatMap((child) => [...child.render(width)]);
  }
}

export class Box extends Container {
  constructor(paddingX = 1, paddingY = 1, bgFn) {
    super();
    Object.assign(this, { paddingX, paddingY, bgFn });
  }
  setBgFn(bgFn) {
    this.bgFn = bgFn;
  }
  setPaddingX(paddingX) {
    this.paddingX = paddingX;
  }
  render(width) {
    const lines = super.render(width - 2 * this.paddingX);
    return lines.length === 0 ? [] : padded(lines, this.paddingX, this.paddingY);
  }
}

const childOf = (entry) => entry?.component ?? entry?.child ?? entry;

export class VStack extends Container {
  constructor(children = [], options = {}) {
    super();
    this.children = children.map(childOf);
    this.options = options;
  }
  addChild(entry) {
    super.addChild(childOf(entry));
  }
  render(width) {
    const gap = blankLines(this.options.gap ?? 0);
    return this.children.flatMap((child, index) => [...(index > 0 ? gap : []), ...child.render(width)]);
  }
}

export class HStack extends VStack {
  render(width) {
    const gap = this.options.gap ?? 0;
    const each = Math.max(1, Math.floor((width - gap * (this.children.length - 1)) / Math.max(1, this.children.length)));
    const columns = this.children.map((child) => [...child.render(each)]);
    const rows = Math.max(0, ...columns.map((lines) => lines.length));
    return Array.from({ length: rows }, (_, row) =>
      columns
        .map((lines) => lines[row] ?? "")
        .map((line, index) => (index < columns.length - 1 ? line + " ".repeat(Math.max(0, each - visibleWidth(line)) + gap) : line))
        .join(""),
    );
  }
}

/** Writes any component as plain lines. */
export const linesOf = (component, width) => [...component.render(width)].map((line) => stripTerminalSequences(String(line)).replace(/ +$/, ""));
