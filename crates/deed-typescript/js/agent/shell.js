// The local shell as operations that an extension can wrap.

import { onAbort } from "deed:globals/events";
import { clearTimeout, setTimeout } from "deed:globals/timers";
import { spawn } from "deed:modules/node/child_process";
import { constants } from "deed:modules/node/os";

export const getShellConfig = (shellPath) => ({ shell: shellPath ?? "/bin/bash", args: ["-c"] });

/** Runs a command as the shell tool does. */
export function createLocalBashOperations({ shellPath } = {}) {
  const exec = (command, cwd, { onData, signal, timeout, env } = {}) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return void reject(new Error("aborted"));
      const { shell, args } = getShellConfig(shellPath);
      const child = spawn(shell, [...args, command], { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
      let timedOut = false;
      const timer = timeout > 0 ? setTimeout(() => ((timedOut = true), child.kill()), timeout * 1000) : undefined;
      const stop = onAbort(signal, () => child.kill());
      const finish = () => {
        clearTimeout(timer);
        stop();
      };
      child.stdout?.on("data", onData);
      child.stderr?.on("data", onData);
      child.on("error", (error) => (finish(), reject(error)));
      child.on("close", (code, killedBy) => {
        finish();
        if (signal?.aborted) reject(new Error("aborted"));
        else if (timedOut) reject(new Error(`timeout:${timeout}`));
        else resolve({ exitCode: killedBy ? 128 + (constants.signals[killedBy] ?? 0) : code });
      });
    });
  return { exec };
}
