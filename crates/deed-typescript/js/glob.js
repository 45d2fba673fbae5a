// Globs as expressions: `*`, `?`, `**`, classes, braces.

function expandBraces(pattern) {
  const open = pattern.search(/(?<!\\)\{/);
  if (open < 0) return [pattern];
  let depth = 0;
  const cuts = [open];
  for (let at = open; at < pattern.length; at++) {
    if (pattern[at] === "{") depth++;
    else if (pattern[at] === "}") depth--;
    else if (pattern[at] === "," && depth === 1) cuts.push(at);
    if (depth === 0) {
      cuts.push(at);
      const range = /^\{(-?\d+)\.\.(-?\d+)\}$/.exec(pattern.slice(open, at + 1));
      if (cuts.length === 2 && !range) return [pattern];
      const choices = range ? numbers(Number(range[1]), Number(range[2])) : cuts.slice(1).map((end, index) => pattern.slice(cuts[index] + 1, end));
      return choices.flatMap((choice) => expandBraces(pattern.slice(0, open) + choice + pattern.slice(at + 1)));
    }
  }
  return [pattern];
}

const numbers = (from, to) => Array.from({ length: Math.abs(to - from) + 1 }, (_, step) => String(from + (to < from ? -step : step)));

function segmentSource(segment, not) {
  let source = "";
  for (let at = 0; at < segment.length; at++) {
    const character = segment[at];
    if (character === "*") source += `${not}*`;
    else if (character === "?") source += not;
    else if (character === "\\" && at + 1 < segment.length) source += RegExp.escape(segment[++at]);
    else if (character === "[") {
      const end = segment.indexOf("]", at + 2);
      if (end < 0) source += "\\[";
      else {
        source += `[${segment.slice(at + 1, end).replace(/^[!^]/, "^").replaceAll("\\", "\\\\")}]`;
        at = end;
      }
    } else source += RegExp.escape(character);
  }
  return /^[*?]/.test(segment) ? `(?!\\.)${source}` : source;
}

/** Makes an expression of a glob; with `windows`, both slashes part segments. */
export function globToRegExp(glob, windows = false) {
  const [slash, not] = windows ? ["[\\\\/]", "[^\\\\/]"] : ["/", "[^/]"];
  const sources = expandBraces(windows ? glob.replaceAll("\\", "/") : glob).map((pattern) => {
    const segments = pattern.split("/");
    return segments
      .map((segment, index) => {
        const last = index === segments.length - 1;
        if (segment === "**") return last ? `(?:(?!\\.)${not}+(?:${slash}(?!\\.)${not}+)*)?` : `(?:(?!\\.)${not}+${slash})*`;
        return segmentSource(segment, not) + (last ? "" : slash);
      })
      .join("");
  });
  return new RegExp(`^(?:${sources.join("|")})$`, "u");
}
