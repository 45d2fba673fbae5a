// pi.exec: a program without a shell.

import { onAbort } from "deed:globals/events";
import { onlyDispatch, scopeOf } from "deed:host/state";
import { nextId, op, opAsync } from "deed:native";

export async function runExec(command, args = [], { signal, timeout, cwd, maxBuffer } = {}) {
  // A program that is not wanted any more is not started.
  if (signal?.aborted) return { stdout: "", stderr: "", code: 143, killed: true, truncated: false };
  const id = nextId("exec");
  const stop = onAbort(signal, () => op("exec.cancel", { id }));
  try {
    return await opAsync("exec", { id, command, args: [...args].map(String), cwd, timeoutMs: timeout, maxBuffer, scope: scopeOf(onlyDispatch()).scope });
  } finally {
    stop();
  }
}
