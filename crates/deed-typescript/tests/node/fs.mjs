import fs, { existsSync, mkdirSync, promises, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { appendFile, mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = await mkdtemp(join(tmpdir(), "deed-fs-"));
const at = (...parts) => join(folder, ...parts);
const hide = (text) => String(text).replaceAll(folder, "FOLDER");
const attempt = async (work) => {
  try {
    console.log("value", await work());
  } catch (error) {
    console.log(error.code, error.syscall, hide(error.path), hide(error.dest), error.errno, hide(error.message));
  }
};
writeFileSync(at("a.txt"), "héllo\n");
console.log(readFileSync(at("a.txt"), "utf8"), readFileSync(at("a.txt")), readFileSync(at("a.txt"), { encoding: "base64" }), readFileSync(new URL(`file://${at("a.txt")}`), "latin1").length);
fs.appendFileSync(at("a.txt"), Buffer.from("more"));
writeFileSync(at("bin"), new Uint8Array([0, 255, 128]));
console.log(readFileSync(at("a.txt"), "utf8"), readFileSync(at("bin")), readFileSync(at("bin"), "utf8").length);
console.log(existsSync(at("a.txt")), existsSync(at("nope")), existsSync(undefined));
console.log(hide(mkdirSync(at("d/e/f"), { recursive: true })), mkdirSync(at("d/e/f"), { recursive: true }));
writeFileSync(at("d/e/x.md"), "x", { mode: 0o600 });
console.log((statSync(at("d/e/x.md")).mode & 0o777).toString(8), statSync(at("d")).isDirectory(), statSync(at("bin")).size, statSync(at("bin")).isFile(), statSync(at("bin")).mtime instanceof Date, statSync(at("nope"), { throwIfNoEntry: false }));
fs.symlinkSync("a.txt", at("link"));
console.log(fs.lstatSync(at("link")).isSymbolicLink(), fs.statSync(at("link")).isFile(), fs.readlinkSync(at("link")), hide(fs.realpathSync(at("link"))).endsWith("a.txt"));
console.log(readdirSync(folder).sort(), readdirSync(at("d"), { withFileTypes: true }).map((entry) => [entry.name, entry.isDirectory(), hide(entry.parentPath)]), readdirSync(at("d"), { recursive: true }).sort());
fs.renameSync(at("bin"), at("bin2"));
fs.copyFileSync(at("bin2"), at("bin3"));
fs.unlinkSync(at("bin2"));
fs.chmodSync(at("bin3"), 0o400);
fs.utimesSync(at("bin3"), 10, 20);
console.log(statSync(at("bin3")).mtimeMs, (statSync(at("bin3")).mode & 0o777).toString(8));
fs.truncateSync(at("a.txt"), 2);
console.log(readFileSync(at("a.txt")).length);

await attempt(() => readFileSync(at("nope")));
await attempt(() => readFile(at("nope")));
await attempt(() => readFileSync(at("d")));
await attempt(() => mkdirSync(at("d")));
await attempt(() => fs.rmdirSync(at("d")));
await attempt(() => readdirSync(at("a.txt")));
await attempt(() => fs.renameSync(at("nope"), at("x")));
await attempt(() => stat(at("a.txt/b")));
await attempt(() => fs.writeFileSync(at("a.txt"), "x", { flag: "wx" }));
await attempt(() => fs.copyFileSync(at("a.txt"), at("bin3"), fs.constants.COPYFILE_EXCL));
await attempt(() => fs.accessSync(at("nope")));
await attempt(() => rm(at("nope")));
await attempt(() => rm(at("nope"), { force: true }));
for (const fault of [() => readFileSync(undefined), () => readFileSync("a\0b"), () => writeFileSync(at("x")), () => fs.readFile(at("a.txt"))]) {
  try {
    fault();
  } catch (error) {
    console.log(error.name, error.code);
  }
}
await new Promise((resolve) => fs.readFile(at("a.txt"), "utf8", (error, text) => resolve(console.log(error, text.length))));
await new Promise((resolve) => fs.stat(at("nope"), (error) => resolve(console.log(error.code))));
await new Promise((resolve) => fs.exists(at("a.txt"), (there) => resolve(console.log(there))));
await mkdir(at("p"));
await writeFile(at("p/one"), "1");
await appendFile(at("p/one"), "2");
console.log(await readFile(at("p/one"), { encoding: "utf8" }), await readdir(at("p")), (await stat(at("p/one"))).size, promises.readFile === readFile || typeof promises.readFile);

const handle = await open(at("p/two"), "w+");
await handle.write("hello handle");
console.log((await handle.stat()).size, (await handle.read(Buffer.alloc(5), 0, 5, 6)).bytesRead);
await handle.close();
const fd = fs.openSync(at("p/two"), "r");
const piece = Buffer.alloc(4);
console.log(fs.readSync(fd, piece, 0, 4, 1), piece.toString(), fs.readFileSync(fd, "utf8"));
fs.closeSync(fd);

const writer = fs.createWriteStream(at("p/big"));
for (let index = 0; index < 1000; index++) writer.write(`line ${index}\n`);
await new Promise((resolve) => writer.end(resolve));
let bytes = 0;
let pieces = 0;
for await (const chunk of fs.createReadStream(at("p/big"), { highWaterMark: 1024 })) {
  bytes += chunk.length;
  pieces++;
}
console.log(bytes, pieces > 3, writer.bytesWritten);
console.log(String(await new Promise((resolve) => fs.createReadStream(at("p/big"), { start: 2, end: 7, encoding: "utf8" }).on("data", resolve))));
await new Promise((resolve) => fs.createReadStream(at("p/nope")).on("error", (error) => resolve(console.log(error.code, error.syscall))));
fs.cpSync(at("p"), at("q"), { recursive: true });
console.log(readdirSync(at("q")).sort());
const watcher = fs.watch(at("q"));
const changed = new Promise((resolve) => watcher.on("change", (type, name) => resolve(`${typeof type} ${name}`)));
setTimeout(() => writeFileSync(at("q/new"), "n"), 20);
console.log(await changed);
watcher.close();
rmSync(folder, { recursive: true });
console.log(existsSync(folder));
