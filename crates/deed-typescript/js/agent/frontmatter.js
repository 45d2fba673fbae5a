// The head of a Markdown file: YAML as far as such heads use it, that is texts, numbers, lists and
// maps in blocks, lists and maps in one line, and texts over several lines.

const unquote = (text) => {
  if (text.startsWith('"')) return JSON.parse(text.replace(/\\'/g, "'"));
  return text.slice(1, -1).replaceAll("''", "'");
};

function scalar(text) {
  if (text === "" || text === "~" || /^null$/i.test(text)) return null;
  if (/^(["']).*\1$/s.test(text)) return unquote(text);
  if (/^true$/i.test(text)) return true;
  if (/^false$/i.test(text)) return false;
  if (/^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(text)) return Number(text);
  return text;
}

/** Splits at commas that stand outside brackets and quotes. */
function splitInline(text) {
  const parts = [];
  let depth = 0;
  let mark = "";
  let current = "";
  for (const character of text) {
    if (mark) mark = character === mark ? "" : mark;
    else if (character === '"' || character === "'") mark = character;
    else if ("[{".includes(character)) depth++;
    else if ("]}".includes(character)) depth--;
    if (character === "," && depth === 0 && !mark) {
      parts.push(current);
      current = "";
    } else current += character;
  }
  return current.trim() === "" ? parts : [...parts, current];
}

function inline(text) {
  const value = text.trim();
  if (value.startsWith("[") && value.endsWith("]")) return splitInline(value.slice(1, -1)).map(inline);
  if (value.startsWith("{") && value.endsWith("}")) return Object.fromEntries(splitInline(value.slice(1, -1)).map((pair) => [String(inline(pair.slice(0, pair.indexOf(":")))), inline(pair.slice(pair.indexOf(":") + 1))]));
  return scalar(value);
}

const uncomment = (text) => (/^["'[{]/.test(text) ? text.replace(/(["'\]}])\s+#.*$/, "$1") : text.replace(/(^|\s)#.*$/, "")).trim();
const depthOf = (line) => line.length - line.trimStart().length;
const isBlank = (line) => line.trim() === "" || /^\s*#/.test(line);

function blockText(lines, at, depth, style) {
  const taken = [];
  let next = at;
  while (next < lines.length && (lines[next].trim() === "" || depthOf(lines[next]) > depth)) taken.push(lines[next++]);
  const margin = Math.min(...taken.filter((line) => line.trim() !== "").map(depthOf));
  const plain = taken.map((line) => line.slice(margin));
  while (plain.at(-1)?.trim() === "") plain.pop();
  const text = style[0] === "|" ? plain.join("\n") : plain.join("\n").replace(/([^\n])\n(?=[^\n])/g, "$1 ").replace(/\n\n/g, "\n");
  return { value: style.includes("-") ? text : `${text}\n`, next };
}

function valueAt(lines, at, depth, text) {
  if (/^[|>][-+]?$/.test(text)) return blockText(lines, at, depth, text);
  if (text !== "") return { value: inline(text), next: at };
  let next = at;
  while (next < lines.length && isBlank(lines[next])) next++;
  const isList = next < lines.length && /^\s*-(\s|$)/.test(lines[next]);
  const inner = next < lines.length ? depthOf(lines[next]) : -1;
  return inner > depth || (isList && inner === depth) ? node(lines, next, inner) : { value: null, next: at };
}

function list(lines, at, depth) {
  const items = [];
  let next = at;
  while (next < lines.length) {
    if (isBlank(lines[next])) next++;
    else if (depthOf(lines[next]) !== depth || !/^\s*-(\s|$)/.test(lines[next])) break;
    else {
      const rest = lines[next].slice(depth + 1);
      const text = uncomment(rest.trim());
      const isMap = /^[^\s"'[{][^:]*:(\s|$)/.test(text);
      if (isMap) {
        const inner = depth + 1 + depthOf(rest);
        const copy = [...lines];
        copy[next] = " ".repeat(inner) + rest.trim();
        const found = map(copy, next, inner);
        items.push(found.value);
        next = found.next;
      } else {
        const found = valueAt(lines, next + 1, depth, text);
        items.push(found.value);
        next = found.next;
      }
    }
  }
  return { value: items, next };
}

function map(lines, at, depth) {
  const value = {};
  let next = at;
  while (next < lines.length) {
    if (isBlank(lines[next])) {
      next++;
      continue;
    }
    if (depthOf(lines[next]) !== depth) break;
    const pair = /^\s*("[^"]*"|'[^']*'|[^:]+?)\s*:(?:\s+(.*))?$/.exec(lines[next]);
    if (!pair) throw new SyntaxError(`can't read the line \`${lines[next].trim()}\` of a front matter`);
    const found = valueAt(lines, next + 1, depth, uncomment((pair[2] ?? "").trim()));
    value[String(scalar(pair[1]))] = found.value;
    next = found.next;
  }
  return { value, next };
}

function node(lines, at, depth) {
  return /^\s*-(\s|$)/.test(lines[at]) ? list(lines, at, depth) : map(lines, at, depth);
}

const HEAD = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)/;

/** Takes a file apart into its head and its body. */
export function parseFrontmatter(content) {
  const text = content.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  const head = HEAD.exec(text);
  if (!head) return { frontmatter: {}, body: text };
  const lines = (head[1] ?? "").split("\n");
  const first = lines.findIndex((line) => !isBlank(line));
  const { value } = first < 0 ? { value: {} } : node(lines, first, depthOf(lines[first]));
  return { frontmatter: value ?? {}, body: text.slice(head[0].length).trim() };
}

export const stripFrontmatter = (content) => parseFrontmatter(content).body;
