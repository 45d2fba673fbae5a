// node:url.

import { codedError } from "deed:errors";
import { percentDecodeBytes, percentEncode } from "deed:globals/url-host";
import { utf8Decode } from "deed:bytes";
import path from "deed:modules/node/path";

export * from "deed:modules/stubs/node/url";

const { URL, URLSearchParams } = globalThis;

/** Returns the path that a `file:` URL names. */
export function fileURLToPath(value) {
  const url = typeof value === "string" ? new URL(value) : value;
  if (!(url instanceof URL)) throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", 'The "path" argument must be of type string or an instance of URL.');
  if (url.protocol !== "file:") throw codedError(TypeError, "ERR_INVALID_URL_SCHEME", "The URL must be of scheme file");
  if (url.hostname !== "") throw codedError(TypeError, "ERR_INVALID_FILE_URL_HOST", `File URL host must be "localhost" or empty on ${globalThis.process.platform}`);
  if (/%2f/i.test(url.pathname)) throw codedError(TypeError, "ERR_INVALID_FILE_URL_PATH", "File URL path must not include encoded / characters");
  return utf8Decode(percentDecodeBytes(url.pathname)).text;
}

/** Returns the `file:` URL of a path. */
export function pathToFileURL(value) {
  let resolved = path.resolve(value);
  if (value.endsWith("/") && !resolved.endsWith("/")) resolved += "/";
  return new URL(`file://${percentEncode(resolved, ' "#%?<>`{}\\^|~[]')}`);
}

/** Reads a URL in the old form. */
export function parse(text, readQuery = false) {
  const [, protocol = null, slashes, auth = null, host = null, pathname, search = null, hash = null] =
    /^([a-zA-Z][\w+.-]*:)?(\/\/(?:([^/?#@]*)@)?([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(String(text).trim()) ?? [];
  const [, hostname = null, port = null] = host === null ? [] : /^(.*?)(?::(\d+))?$/.exec(host.toLowerCase());
  const query = search === null ? null : search.slice(1);
  const result = { protocol: protocol?.toLowerCase() ?? null, slashes: slashes === undefined ? null : true, auth, host: host?.toLowerCase() ?? null, port: port ?? null, hostname, hash, search, query: readQuery ? Object.fromEntries(new URLSearchParams(query ?? "")) : query, pathname: pathname || (host ? "/" : null) };
  result.path = result.pathname || search ? `${result.pathname ?? ""}${search ?? ""}` : null;
  result.href = format(result);
  return result;
}

/** Writes a URL, or the parts of one. */
export function format(value) {
  if (typeof value === "string") return parse(value).href;
  if (value instanceof URL) return value.href;
  const protocol = value.protocol ? (value.protocol.endsWith(":") ? value.protocol : `${value.protocol}:`) : "";
  const host = value.host ?? (value.hostname ? `${value.hostname}${value.port ? `:${value.port}` : ""}` : "");
  const slashes = value.slashes || (host && /^(https?|ftp|file|wss?):$/.test(protocol)) ? "//" : "";
  const query = value.search ?? (value.query && typeof value.query === "object" ? `?${new URLSearchParams(value.query)}` : "");
  const pathname = value.pathname ?? "";
  const between = slashes && pathname !== "" && !pathname.startsWith("/") ? "/" : "";
  return `${protocol}${slashes}${value.auth ? `${value.auth}@` : ""}${host}${between}${pathname}${query && !query.startsWith("?") ? "?" : ""}${query}${value.hash ?? ""}`;
}

/** Resolves a reference against a base, both possibly without a scheme. */
export function resolve(from, to) {
  const base = new URL(from, "resolve://host/");
  const url = new URL(to, base);
  return url.protocol === "resolve:" ? `${url.pathname}${url.search}${url.hash}` : url.href;
}

export const domainToASCII = (name) => URL.parse(`http://${name}`)?.hostname ?? "";
export const domainToUnicode = (name) => name;
export const urlToHttpOptions = (url) => ({ protocol: url.protocol, hostname: url.hostname.replace(/^\[|\]$/g, ""), hash: url.hash, search: url.search, pathname: url.pathname, path: `${url.pathname}${url.search}`, href: url.href, ...(url.port && { port: Number(url.port) }), ...(url.username && { auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` }) });
export { URL, URLSearchParams };
export default { domainToASCII, domainToUnicode, fileURLToPath, format, parse, pathToFileURL, resolve, URL, URLSearchParams, urlToHttpOptions };
