// Paths of both kinds. Only the parts where the kinds differ are told apart.

import { codedError, received } from "deed:errors";
import { globToRegExp } from "deed:glob";
import { process } from "deed:globals/process";

function check(value, name = "path") {
  if (typeof value === "string") return value;
  throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", `The "${name}" argument must be of type string. ${received(value)}`);
}

/** Takes `.` and `..` out of segments; `..` at the front stay if `climbs` is set. */
function settle(segments, climbs) {
  const out = [];
  for (const segment of segments) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") out.push(segment);
    else if (out.length > 0 && out.at(-1) !== "..") out.pop();
    else if (climbs) out.push("..");
  }
  return out;
}

const stripEnd = (text, isSep) => {
  let end = text.length;
  while (end > 0 && isSep(text[end - 1])) end--;
  return text.slice(0, end);
};

function parseBase(base) {
  const dot = base.lastIndexOf(".");
  const hasExtension = dot > 0 && !(base === ".." );
  return { ext: hasExtension ? base.slice(dot) : "", name: hasExtension ? base.slice(0, dot) : base };
}

/** Splits a path of Windows into drive or share, root slash, and rest. */
function splitWindows(text) {
  const share = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)(?=[\\/]|$)/.exec(text);
  if (share) {
    const rest = text.slice(share[0].length);
    return { device: `\\\\${share[1]}\\${share[2]}`, root: "\\", raw: share[0], rest: rest.replace(/^[\\/]+/, ""), rootRaw: share[0] + (/^[\\/]/.exec(rest)?.[0] ?? "") };
  }
  const [whole, device, slash] = /^([A-Za-z]:)?([\\/]*)/.exec(text);
  return { device: device ?? "", root: slash === "" ? "" : "\\", raw: device ?? "", rest: text.slice(whole.length), rootRaw: (device ?? "") + (slash[0] ?? "") };
}

function splitPosix(text) {
  const root = text.startsWith("/") ? "/" : "";
  return { device: "", root, raw: "", rest: text.slice(root.length), rootRaw: root };
}

function makePath(kind) {
  const windows = kind === "win32";
  const sep = windows ? "\\" : "/";
  const isSep = windows ? (c) => c === "/" || c === "\\" : (c) => c === "/";
  const split = (text) => text.split(windows ? /[\\/]/ : "/");
  const take = windows ? splitWindows : splitPosix;

  function normalize(value) {
    const text = check(value);
    if (text === "") return ".";
    const { device, root, rest } = take(text);
    const body = settle(split(rest), root === "").join(sep);
    const trailing = isSep(text.at(-1)) && body !== "" ? sep : "";
    if (body === "" && root === "") return device === "" ? (isSep(text.at(-1)) ? `.${sep}` : ".") : `${device}.`;
    return `${device}${root}${body}${trailing}`;
  }

  function join(...parts) {
    const joined = parts.map((part) => check(part)).filter((part) => part !== "").join(sep);
    if (joined === "") return ".";
    if (!windows) return normalize(joined);
    // Several leading slashes begin a share only if the first part itself did.
    const first = parts.find((part) => part !== "");
    return normalize(/^[\\/]{2}[^\\/]/.test(first) ? joined : joined.replace(/^[\\/]{2,}/, "\\"));
  }

  function resolve(...parts) {
    let device = "";
    let tail = [];
    let absolute = false;
    const all = [windows ? windowsCwd() : process.cwd(), ...parts.map((part) => check(part, "paths[0]"))];
    for (const text of all.reverse()) {
      if (text === "" || (absolute && device !== "")) continue;
      const piece = take(text);
      if (device !== "" && piece.device !== "" && piece.device.toLowerCase() !== device.toLowerCase()) continue;
      device ||= piece.device;
      if (absolute) continue;
      tail = [...split(piece.rest), ...tail];
      absolute = piece.root !== "";
      if (absolute && !windows) break;
    }
    const body = settle(tail, !absolute).join(sep);
    return `${device}${absolute ? sep : ""}${body}` || ".";
  }

  function dirname(value) {
    const text = check(value);
    const { rootRaw } = take(text);
    let at = text.length - 1;
    while (at >= rootRaw.length && isSep(text[at])) at--;
    while (at >= rootRaw.length && !isSep(text[at])) at--;
    if (at < rootRaw.length) {
      // Two slashes in front and nothing between: node keeps both.
      const doubled = !windows && /^\/\/+[^/]/.test(text);
      return rootRaw === "" ? "." : doubled ? "//" : rootRaw;
    }
    return text.slice(0, at);
  }

  function basename(value, suffix) {
    let text = check(value);
    if (windows && /^[A-Za-z]:/.test(text)) text = text.slice(2);
    text = stripEnd(text, isSep);
    let at = text.length - 1;
    while (at >= 0 && !isSep(text[at])) at--;
    const base = text.slice(at + 1);
    if (suffix === undefined) return base;
    check(suffix, "suffix");
    if (suffix === value) return "";
    return base !== suffix && base.endsWith(suffix) ? base.slice(0, -suffix.length) : base;
  }

  const extname = (value) => parseBase(basename(value)).ext;

  function parse(value) {
    const text = check(value);
    const root = take(text).rootRaw;
    const body = stripEnd(text.slice(root.length), isSep);
    let at = body.length - 1;
    while (at >= 0 && !isSep(body[at])) at--;
    const base = body.slice(at + 1);
    return { root, dir: at < 0 ? root : text.slice(0, root.length + at) || root, base, ...parseBase(base) };
  }

  function format(parts) {
    if (parts === null || typeof parts !== "object") throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", `The "pathObject" argument must be of type object. ${received(parts)}`);
    const extension = parts.ext ? (parts.ext.startsWith(".") ? parts.ext : `.${parts.ext}`) : "";
    const base = parts.base || `${parts.name ?? ""}${extension}`;
    const dir = parts.dir || parts.root;
    if (!dir) return base;
    return dir === parts.root ? `${dir}${base}` : `${dir}${sep}${base}`;
  }

  function relative(from, to) {
    const left = resolve(check(from, "from"));
    const right = resolve(check(to, "to"));
    const same = windows ? (a, b) => a.toLowerCase() === b.toLowerCase() : (a, b) => a === b;
    if (same(left, right)) return "";
    const [a, b] = [take(left), take(right)];
    if (!same(a.device, b.device)) return right;
    const [as, bs] = [a.rest, b.rest].map((rest) => split(rest).filter((segment) => segment !== ""));
    let shared = 0;
    while (shared < as.length && shared < bs.length && same(as[shared], bs[shared])) shared++;
    return [...new Array(as.length - shared).fill(".."), ...bs.slice(shared)].join(sep);
  }

  const isAbsolute = (value) => take(check(value)).root !== "";
  const matchesGlob = (value, pattern) => globToRegExp(pattern, windows).test(check(value));
  const toNamespacedPath = (value) => value;
  return { basename, delimiter: windows ? ";" : ":", dirname, extname, format, isAbsolute, join, matchesGlob, normalize, parse, relative, resolve, sep, toNamespacedPath, _makeLong: toNamespacedPath };
}

function windowsCwd() {
  const cwd = process.cwd();
  return process.platform === "win32" ? cwd : cwd.replaceAll("/", "\\");
}

export const posix = makePath("posix");
export const win32 = makePath("win32");
