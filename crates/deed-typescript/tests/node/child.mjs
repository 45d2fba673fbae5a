import { exec, execFile, execFileSync, execSync, spawn, spawnSync } from "node:child_process";
import { promisify } from "node:util";

const run = (command, args, options, input) =>
  new Promise((resolve) => {
    const child = spawn(command, args, options);
    const out = [];
    const err = [];
    const order = [];
    child.stdout?.on("data", (data) => out.push(data));
    child.stderr?.on("data", (data) => err.push(data));
    child.on("spawn", () => order.push("spawn")).on("error", (error) => order.push(`${error.code} ${error.syscall} ${error.path}`)).on("exit", (code, signal) => order.push(`exit ${code} ${signal}`));
    child.on("close", (code, signal) => resolve([Buffer.concat(out).toString(), Buffer.concat(err).toString(), code, signal, order]));
    if (input !== undefined) child.stdin.end(input);
  });
console.log(await run("echo", ["a b", "$HOME"]));
console.log(await run("sh", ["-c", "echo out; echo err >&2; exit 3"]));
console.log(await run("cat", [], {}, "through"));
console.log(await run("echo $((1+1))", { shell: true }));
console.log(await run("/nonexistent/program"));
console.log(await run("sh", ["-c", "kill -TERM $$"]));
console.log(await run("sh", ["-c", "echo $X; pwd"], { cwd: "/", env: { X: "set", PATH: "/usr/bin:/bin" } }));
console.log(await run("echo", ["ignored"], { stdio: "ignore" }));
const long = spawn("sleep", ["30"]);
console.log(long.kill(), long.killed);
await new Promise((resolve) => long.on("close", (code, signal) => resolve(console.log(code, signal, long.exitCode, long.signalCode, long.kill()))));
const controller = new AbortController();
const aborted = spawn("sleep", ["30"], { signal: controller.signal });
aborted.on("error", (error) => console.log(error.name, error.code));
controller.abort();
await new Promise((resolve) => aborted.on("close", (code, signal) => resolve(console.log(code, signal))));

const promised = promisify(exec);
console.log(await promised("echo hi; echo there >&2"));
await promised("echo out; exit 2").catch((error) => console.log(error.code, error.killed, error.signal, error.cmd, error.stdout, error.message));
await promisify(execFile)("sh", ["-c", "echo bad >&2; exit 5"]).catch((error) => console.log(error.code, JSON.stringify(error.message), error.stderr));
console.log(await new Promise((resolve) => execFile("echo", ["x"], { encoding: "buffer" }, (error, stdout) => resolve([error, stdout]))));
await promised("sleep 30", { timeout: 30 }).catch((error) => console.log(error.killed, error.signal, error.code));
await promised("head -c 5000 /dev/zero", { maxBuffer: 100 }).catch((error) => console.log(error.code));

console.log(execSync("echo sync", { encoding: "utf8" }), execSync("cat", { input: "fed" }), execFileSync("echo", ["a", "b"]).toString());
for (const fault of [() => execSync("echo x; exit 4", { stdio: "pipe" }), () => execFileSync("sh", ["-c", "echo no >&2; exit 1"], { stdio: "pipe" }), () => execFileSync("/nonexistent/p")]) {
  try {
    fault();
  } catch (error) {
    console.log(error.status, error.code, error.signal, JSON.stringify(error.message), String(error.stdout), String(error.stderr));
  }
}
const result = spawnSync("sh", ["-c", "echo o; echo e >&2; exit 7"], { encoding: "utf8" });
console.log(result.status, result.signal, result.stdout, result.stderr, result.output, result.error);
const none = spawnSync("/nonexistent/p");
console.log(none.status, none.error.code, none.error.syscall);
const timed = spawnSync("sleep", ["30"], { timeout: 50 });
console.log(timed.status, timed.signal, timed.error.code);
