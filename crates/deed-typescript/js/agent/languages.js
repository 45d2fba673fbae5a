// Languages of files, by their endings.

const ENDINGS = { bash: "sh bash zsh", c: "c h", cpp: "cpp cc cxx hpp", csharp: "cs", css: "css", diff: "diff patch", dockerfile: "dockerfile", go: "go", html: "html htm", ini: "ini", java: "java", javascript: "js jsx mjs cjs", json: "json jsonc", kotlin: "kt kts", lua: "lua", makefile: "makefile mk", markdown: "md markdown", php: "php", python: "py pyi", ruby: "rb", rust: "rs", scala: "scala", scss: "scss", sql: "sql", swift: "swift", toml: "toml", typescript: "ts tsx mts cts", xml: "xml svg", yaml: "yml yaml" };
const BY_ENDING = new Map(Object.entries(ENDINGS).flatMap(([language, endings]) => endings.split(" ").map((ending) => [ending, language])));

/** Returns the language of a file; undefined if its ending tells none. */
export function getLanguageFromPath(path) {
  const name = String(path).split(/[\\/]/).at(-1).toLowerCase();
  return BY_ENDING.get(name.slice(name.lastIndexOf(".") + 1));
}
