import path, { posix, win32 } from "node:path";

const PATHS = ["", ".", "..", "/", "//", "///a", "a", "a/", "/a", "/a/", "a/b", "a//b/", "/a/b/../c", "../a", "../../a/../b", "/../a", "./a/./b", "a/b.txt", ".bashrc", "a/.b", "a.b.c", "a.", "/a.b/c", "a/../..", "...", "a/...", "x/ /y"];
const WINDOWS = ["C:\\", "C:", "C:a", "C:\\a\\b", "C:/a/b/", "\\\\server\\share\\a", "\\\\server\\share", "\\a", "a\\b/c", "C:\\a\\..\\..\\b", "C:..\\a", "a\\..\\..", "D:\\x\\y.txt", "\\\\?\\C:\\x", "c:.", ".\\"];

for (const text of PATHS) {
  console.log(JSON.stringify([text, posix.normalize(text), posix.dirname(text), posix.basename(text), posix.extname(text), posix.isAbsolute(text), posix.parse(text)]));
}
for (const text of [...WINDOWS, ...PATHS.slice(0, 14)]) {
  console.log(JSON.stringify([text, win32.normalize(text), win32.dirname(text), win32.basename(text), win32.extname(text), win32.isAbsolute(text), win32.parse(text)]));
}
const JOINS = [[], [""], ["a", "b"], ["/a", "../b"], ["a", "", "c"], ["..", "a"], ["/", "..", "b"], ["a/", "/b"], [".", "."], ["", "/a"]];
for (const parts of JOINS) console.log(JSON.stringify([posix.join(...parts), win32.join(...parts)]));
console.log(posix.resolve("/a", "b", "../c"), posix.resolve("/a", "/b"), posix.resolve("/a/", "."), posix.resolve("/"));
console.log(win32.resolve("C:\\a", "b"), win32.resolve("C:\\a", "\\b"), win32.resolve("C:\\a", "D:\\b", "c"), win32.resolve("\\\\s\\h\\x", "y"));
const PAIRS = [["/a/b/c", "/a/d"], ["/a", "/a"], ["/a/b", "/"], ["/", "/a/b"], ["/a/bc", "/a/b"], ["/a", "/b"]];
for (const [from, to] of PAIRS) console.log(JSON.stringify(posix.relative(from, to)));
console.log(win32.relative("C:\\a\\b", "C:\\A\\c"), win32.relative("C:\\a", "D:\\b"), win32.relative("C:\\", "C:\\x"));
console.log(posix.format({ dir: "/a", base: "b.c" }), posix.format({ root: "/", name: "x", ext: ".y" }), posix.format({ root: "/", dir: "/", base: "q" }), posix.format({ name: "n", ext: "e" }), win32.format({ dir: "C:\\a", base: "b" }));
console.log(posix.basename("/a/b.txt", ".txt"), posix.basename("b.txt", "b.txt"), posix.basename("a/b/", "b"), posix.basename("aa", "a"));
console.log(path.sep, path.delimiter, win32.sep, win32.delimiter, path === posix, path.posix === posix, path.win32 === win32);
for (const wrong of [undefined, null, 5, {}]) {
  try {
    path.join("a", wrong);
  } catch (error) {
    console.log(error.code, error.message, error instanceof TypeError);
  }
}
