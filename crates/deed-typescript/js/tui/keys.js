// Keys: names of them, and what a terminal sends for them.

const NAMED = ["escape", "esc", "enter", "return", "tab", "space", "backspace", "delete", "insert", "clear", "home", "end", "pageUp", "pageDown", "up", "down", "left", "right", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12"];
const SYMBOLS = { backtick: "`", hyphen: "-", equals: "=", leftbracket: "[", rightbracket: "]", backslash: "\\", semicolon: ";", quote: "'", comma: ",", period: ".", slash: "/", exclamation: "!", at: "@", hash: "#", dollar: "$", percent: "%", caret: "^", ampersand: "&", asterisk: "*", leftparen: "(", rightparen: ")", underscore: "_", plus: "+", pipe: "|", tilde: "~", leftbrace: "{", rightbrace: "}", colon: ":", lessthan: "<", greaterthan: ">", question: "?" };
const PREFIXES = ["ctrl", "shift", "alt", "super"];
const COMBINED = [["ctrl", "shift"], ["shift", "ctrl"], ["ctrl", "alt"], ["alt", "ctrl"], ["shift", "alt"], ["alt", "shift"], ["ctrl", "super"], ["super", "ctrl"], ["shift", "super"], ["super", "shift"], ["alt", "super"], ["super", "alt"], ["ctrl", "shift", "alt"], ["ctrl", "shift", "super"]];
const camel = (names) => names[0] + names.slice(1).map((name) => name[0].toUpperCase() + name.slice(1)).join("");

export const Key = {
  ...Object.fromEntries(NAMED.map((name) => [name, name])),
  ...SYMBOLS,
  ...Object.fromEntries(PREFIXES.map((name) => [name, (key) => `${name}+${key}`])),
  ...Object.fromEntries(COMBINED.map((names) => [camel(names), (key) => `${names.join("+")}+${key}`])),
};

const ALIASES = { esc: "escape", return: "enter", pageup: "pageUp", pagedown: "pageDown" };
const LETTERED = { A: "up", B: "down", C: "right", D: "left", H: "home", F: "end", P: "f1", Q: "f2", R: "f3", S: "f4", E: "clear" };
const NUMBERED = { 1: "home", 2: "insert", 3: "delete", 4: "end", 5: "pageUp", 6: "pageDown", 7: "home", 8: "end", 11: "f1", 12: "f2", 13: "f3", 14: "f4", 15: "f5", 17: "f6", 18: "f7", 19: "f8", 20: "f9", 21: "f10", 23: "f11", 24: "f12" };
const POINTS = { 8: "backspace", 9: "tab", 13: "enter", 27: "escape", 32: "space", 127: "backspace", 57414: "enter" };
const BITS = { shift: 1, alt: 2, ctrl: 4, super: 8 };
const SINGLE = { "\r": "enter", "\n": "enter", "\t": "tab", "\x1b": "escape", " ": "space", "\x7f": "backspace", "\b": "backspace", "\x00": "ctrl+space", "\x1c": "ctrl+\\", "\x1d": "ctrl+]", "\x1f": "ctrl+-" };

/** Brings the name of a key into one form: modifiers in one order. */
function canonical(name) {
  const parts = name === "+" || name.endsWith("++") ? [...name.slice(0, -1).split("+").filter(Boolean), "+"] : name.split("+");
  const key = parts.pop();
  const modifiers = new Set(parts.map((part) => part.toLowerCase()));
  const lower = key.length === 1 ? key.toLowerCase() : (ALIASES[key.toLowerCase()] ?? key);
  if (key.length === 1 && key !== lower) modifiers.add("shift");
  return [...Object.keys(BITS).filter((modifier) => modifiers.has(modifier)), lower].join("+");
}

const withBits = (bits, key) => [...Object.keys(BITS).filter((name) => bits & BITS[name]), key].join("+");

/** Returns the key that a terminal's input stands for. */
export function parseKey(data) {
  const found = read(data);
  return found === undefined ? undefined : found;
}

function read(data) {
  if (SINGLE[data]) return SINGLE[data];
  if (/^[\x01-\x1a]$/.test(data)) return `ctrl+${String.fromCharCode(data.charCodeAt(0) + 96)}`;
  if (data === "\u001b[Z") return "shift+tab";
  const kitty = /^\u001b\[(\d+)(?::\d*)*(?:;(\d*)(?::\d+)?)?(?:;[\d:]*)?u$/.exec(data) ?? reordered(/^\u001b\[27;(\d+);(\d+)~$/.exec(data));
  if (kitty) {
    const point = Number(kitty[1]);
    return withBits(Number(kitty[2] || 1) - 1, POINTS[point] ?? String.fromCodePoint(point).toLowerCase());
  }
  const lettered = /^\u001b(?:\[(?:1;(\d+)(?::\d+)?)?|O)([A-FHP-S])$/.exec(data);
  if (lettered) return withBits(Number(lettered[1] ?? 1) - 1, LETTERED[lettered[2]]);
  const numbered = /^\u001b\[(\d+)(?:;(\d+)(?::\d+)?)?~$/.exec(data);
  if (numbered && NUMBERED[numbered[1]]) return withBits(Number(numbered[2] ?? 1) - 1, NUMBERED[numbered[1]]);
  if (data.length >= 2 && data.startsWith("\u001b") && !/^\u001b[[O]./.test(data)) {
    const inner = read(data.slice(1));
    return inner === undefined ? undefined : canonical(`alt+${inner}`);
  }
  return [...data].length === 1 ? data : undefined;
}
const reordered = (found) => found && [found[0], found[2], found[1]];

export function matchesKey(data, key) {
  const found = read(data);
  return found !== undefined && canonical(found) === canonical(key);
}

const eventOf = (data) => /^\u001b\[[\d:]*(?:;\d*:(\d))/.exec(data)?.[1];
export const isKeyRelease = (data) => eventOf(data) === "3";
export const isKeyRepeat = (data) => eventOf(data) === "2";

let kittyActive = false;
export const setKittyProtocolActive = (active) => void (kittyActive = active);
export const isKittyProtocolActive = () => kittyActive;
export function decodeKittyPrintable(data) {
  const kitty = /^\u001b\[(\d+)(?::(\d*))?(?::\d*)?(?:;(\d*))?/.exec(data);
  if (!kitty || !data.endsWith("u") || Number(kitty[3] || 1) > 2) return undefined;
  const point = Number(kitty[3]) === 2 && kitty[2] ? Number(kitty[2]) : Number(kitty[1]);
  return point >= 32 && point !== 127 && point < 57344 ? String.fromCodePoint(point) : undefined;
}
