// node:process.

import { process } from "deed:globals/process";

export * from "deed:modules/stubs/node/process";

export const { arch, argv, argv0, env, execArgv, execPath, features, hrtime, pid, platform, ppid, release, stderr, stdin, stdout, title, version, versions } = process;
const bound = (name) => process[name].bind(process);
export const { chdir } = process;
export const cpuUsage = bound("cpuUsage");
export const cwd = bound("cwd");
export const emitWarning = bound("emitWarning");
export const exit = bound("exit");
export const kill = bound("kill");
export const memoryUsage = bound("memoryUsage");
export const nextTick = bound("nextTick");
export const on = bound("on");
export const once = bound("once");
export const off = bound("off");
export const uptime = bound("uptime");
export default process;
