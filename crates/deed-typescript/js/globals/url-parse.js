// Reads a URL into its parts, as the URL Standard says.

import { parseHost, percentEncode } from "deed:globals/url-host";

export const DEFAULT_PORTS = { "http:": "80", "https:": "443", "ws:": "80", "wss:": "443", "ftp:": "21", "file:": "" };
export const isSpecial = (protocol) => Object.hasOwn(DEFAULT_PORTS, protocol);

const FRAGMENT = ' "<>`';
const QUERY = ' "#<>';
const PATH = ' "#<>?`{}';
export const USERINFO = ' "#<>?`{}/:;=@[\\]^|';

export const encodeFragment = (text) => percentEncode(text, FRAGMENT);
export const encodeQuery = (text, special) => percentEncode(text, special ? `${QUERY}'` : QUERY);

const isDrive = (segment) => /^[A-Za-z][:|]$/.test(segment);
const isDot = (segment) => /^(\.|%2e)$/i.test(segment);
const isDoubleDot = (segment) => /^(\.|%2e){2}$/i.test(segment);

/** Appends the segments of a path to those of a base. */
export function joinPath(base, text, protocol) {
  const special = isSpecial(protocol);
  const path = [...base];
  const segments = text.split(special ? /[/\\]/ : "/");
  segments.forEach((segment, index) => {
    const last = index === segments.length - 1;
    if (isDoubleDot(segment)) {
      if (!(protocol === "file:" && path.length === 1 && isDrive(path[0]))) path.pop();
      if (last) path.push("");
    } else if (isDot(segment)) {
      if (last) path.push("");
    } else if (protocol === "file:" && path.length === 0 && isDrive(segment)) {
      path.push(`${segment[0]}:`);
    } else path.push(percentEncode(segment, PATH));
  });
  return path;
}

/** Reads `user:pw@host:port` into a record; false if it is broken. */
export function readAuthority(record, text) {
  const at = text.lastIndexOf("@");
  if (at >= 0) {
    const [, user, password] = /^([^:]*):?(.*)$/s.exec(text.slice(0, at));
    record.username = percentEncode(user, USERINFO);
    record.password = percentEncode(password, USERINFO);
  }
  const place = text.slice(at + 1);
  if (at >= 0 && place === "") return false;
  return readHostAndPort(record, place);
}

/** Reads `host:port` into a record; false if it is broken. */
export function readHostAndPort(record, text) {
  const special = isSpecial(record.protocol);
  const [, name, , port] = /^(\[[^\]]*\]|[^:]*)(:(.*))?$/s.exec(text) ?? [];
  if (name === undefined) return false;
  if (name === "" && (special || port !== undefined)) return false;
  const host = name === "" ? "" : parseHost(name, special);
  if (host === null) return false;
  record.host = host;
  return port === undefined || port === "" ? ((record.port = ""), true) : readPort(record, port);
}

/** Reads a port into a record; false if it is broken. */
export function readPort(record, text) {
  if (!/^[0-9]+$/.test(text) || Number(text) > 65535) return false;
  const port = String(Number(text));
  record.port = port === DEFAULT_PORTS[record.protocol] ? "" : port;
  return true;
}

const empty = (protocol) => ({ protocol, username: "", password: "", host: null, port: "", path: [], query: null, fragment: null });

/** Takes `?query` and `#fragment` off the end. */
function cut(text) {
  const hash = text.indexOf("#");
  const fragment = hash < 0 ? null : text.slice(hash + 1);
  const front = hash < 0 ? text : text.slice(0, hash);
  const mark = front.indexOf("?");
  return { fragment, query: mark < 0 ? null : front.slice(mark + 1), rest: mark < 0 ? front : front.slice(0, mark) };
}

function withAuthority(record, text) {
  const special = isSpecial(record.protocol);
  const [, authority, path] = (special ? /^([^/\\]*)(.*)$/s : /^([^/]*)(.*)$/s).exec(text);
  if (!readAuthority(record, authority)) return null;
  if (path !== "") record.path = joinPath([], path.slice(1), record.protocol);
  else if (special) record.path = [""];
  return record;
}

function fileUrl(record, rest, base) {
  record.host = "";
  const slashed = rest.replaceAll("\\", "/");
  if (slashed.startsWith("//")) {
    const [, host, path] = /^([^/]*)(.*)$/s.exec(slashed.slice(2));
    if (isDrive(host)) record.path = joinPath([], slashed.slice(2), "file:");
    else {
      if (host !== "") {
        const name = parseHost(host, true);
        if (name === null) return null;
        record.host = name === "localhost" ? "" : name;
      }
      record.path = joinPath([], path.slice(1), "file:");
    }
    return record;
  }
  if (slashed.startsWith("/")) {
    const drive = base?.path.length > 0 && isDrive(base.path[0]) && !isDrive(slashed.slice(1).split("/")[0]) ? [base.path[0]] : [];
    record.host = base?.host ?? "";
    record.path = joinPath(drive, slashed.slice(1), "file:");
    return record;
  }
  if (!base) {
    record.path = joinPath([], slashed, "file:");
    return record;
  }
  return relative(record, slashed, base);
}

function relative(record, rest, base) {
  for (const part of ["username", "password", "host", "port"]) record[part] = base[part];
  if (rest === "") {
    record.path = [...base.path];
    record.query ??= base.query;
  } else record.path = joinPath(base.path.slice(0, -1), rest, record.protocol);
  return record;
}

function resolve(record, rest, base, ownScheme) {
  const special = isSpecial(record.protocol);
  if (record.protocol === "file:") return fileUrl(record, rest, base?.protocol === "file:" ? base : null);
  const slash = special ? /^[/\\]/ : /^\//;
  if (ownScheme && special && !(base?.protocol === record.protocol && !slash.test(rest))) {
    return withAuthority(record, rest.replace(/^[/\\]*/, ""));
  }
  if (special ? /^[/\\]{2}/.test(rest) : rest.startsWith("//")) {
    return withAuthority(record, special ? rest.replace(/^[/\\]*/, "") : rest.slice(2));
  }
  if (ownScheme && !special) {
    if (!rest.startsWith("/")) record.path = percentEncode(rest, "");
    else record.path = joinPath([], rest.slice(1), record.protocol);
    return record;
  }
  if (slash.test(rest)) {
    relative(record, "", { ...base, query: null });
    record.path = joinPath([], rest.slice(1), record.protocol);
    return record;
  }
  return relative(record, rest, base);
}

/** Reads a URL; null if it is none. */
export function parseUrl(input, base = null) {
  const text = input.replace(/^[\x00-\x20]+|[\x00-\x20]+$/g, "").replace(/[\t\n\r]/g, "");
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text);
  if (!scheme && !base) return null;
  const protocol = scheme ? `${scheme[1].toLowerCase()}:` : base.protocol;
  const { rest, query, fragment } = cut(scheme ? text.slice(scheme[0].length) : text);
  const record = empty(protocol);
  record.query = query === null ? null : encodeQuery(query, isSpecial(protocol));
  record.fragment = fragment === null ? null : encodeFragment(fragment);
  if (!scheme && typeof base.path === "string") {
    if (rest !== "" || query !== null || fragment === null) return null;
    return { ...base, fragment: record.fragment };
  }
  return resolve(record, rest, base, Boolean(scheme));
}

/** Writes a record as text. */
export function writeUrl(record, withFragment = true) {
  const path = writePath(record);
  let text = record.protocol;
  if (record.host !== null) {
    const login = record.username + (record.password === "" ? "" : `:${record.password}`);
    text += `//${login === "" ? "" : `${login}@`}${record.host}${record.port === "" ? "" : `:${record.port}`}`;
  } else if (path.startsWith("//")) text += "/.";
  text += path + (record.query === null ? "" : `?${record.query}`);
  return withFragment && record.fragment !== null ? `${text}#${record.fragment}` : text;
}

/** Writes the path of a record. */
export const writePath = (record) => (typeof record.path === "string" ? record.path : record.path.map((segment) => `/${segment}`).join(""));
