// The local shell as operations that an extension can wrap.

import { onAbort } from "deed:globals/events";
import { clearTimeout, setTimeout } from "deed:globals/timers";

export const getShellConfig = (shellPath) => ({ shell: shellPath ?? "/bin/bash", args: ["-c"] });

/** Runs a command as the shell tool does. */
export function createLocalBashOperations({ shellPath } = {}) {
  const exec = async (command, cwd, { onData, signal, timeout, env } = {}) => {
    // Loaded when the first command runs.
    const [{ spawn }, { constants }] = await Promise.all([import("deed:modules/node/child_process"), import("deed:modules/node/os")]);
    if (signal?.aborted) throw new Error("aborted");
    return new Promise((resolve, reject) => {
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
  };
  return { exec };
}
