// node:os.

import { hostInfo, op } from "deed:native";
import { process } from "deed:globals/process";

export * from "deed:modules/stubs/node/os";

const live = () => op("os.live") ?? {};

export const EOL = "\n";
export const devNull = "/dev/null";
export const arch = () => process.arch;
export const platform = () => process.platform;
export const type = () => ({ linux: "Linux", darwin: "Darwin", win32: "Windows_NT" })[process.platform] ?? process.platform;
export const homedir = () => process.env.HOME || hostInfo().homedir || "/";
export const tmpdir = () => (process.env.TMPDIR || hostInfo().tmpdir || "/tmp").replace(/(?<=.)\/$/, "");
export const hostname = () => live().hostname ?? "localhost";
export const release = () => live().release ?? "";
export const version = () => live().version ?? "";
export const machine = () => ({ x64: "x86_64", arm64: process.platform === "darwin" ? "arm64" : "aarch64" })[process.arch] ?? process.arch;
export const endianness = () => "LE";
export const uptime = () => live().uptime ?? 0;
export const loadavg = () => live().loadavg ?? [0, 0, 0];
export const totalmem = () => live().totalmem ?? 0;
export const freemem = () => live().freemem ?? 0;
export const availableParallelism = () => cpus().length || 1;
export const networkInterfaces = () => live().networkInterfaces ?? {};
export const getPriority = () => 0;
export function cpus() {
  return (live().cpus ?? []).map(({ model = "", speed = 0 }) => ({ model, speed, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }));
}
export function userInfo() {
  const { username = process.env.USER ?? "", uid = -1, gid = -1, shell = process.env.SHELL ?? null } = live();
  return { username, uid, gid, shell, homedir: homedir() };
}

const SIGNAL_NAMES = "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS";
export const constants = {
  signals: Object.fromEntries(SIGNAL_NAMES.split(" ").map((name, index) => [`SIG${name}`, index + 1])),
  errno: { ENOENT: 2, EINTR: 4, EACCES: 13, EEXIST: 17, ENOTDIR: 20, EISDIR: 21, EINVAL: 22, EPIPE: 32, ENOTEMPTY: 39, EPERM: 1 },
  priority: {},
};

export default { arch, availableParallelism, constants, cpus, devNull, endianness, EOL, freemem, getPriority, homedir, hostname, loadavg, machine, networkInterfaces, platform, release, tmpdir, totalmem, type, uptime, userInfo, version };
