// `require` of CommonJS, as the host resolves and runs it.

import { isBuiltin } from "deed:builtins";
import { requireFrom as load, resolveFrom } from "deed:native";
import { fileURLToPath } from "deed:modules/node/url";

const { URL } = globalThis;

/** Makes the `require` of a file, given its path or URL. */
export function requireFrom(from) {
  const file = from instanceof URL || String(from).startsWith("file:") ? fileURLToPath(from) : String(from);
  const require = (specifier) => load(String(specifier), file);
  require.resolve = (specifier) => (isBuiltin(specifier) ? specifier : resolveFrom(String(specifier), file));
  require.resolve.paths = () => [];
  require.cache = {};
  require.main = undefined;
  require.extensions = {};
  return require;
}
