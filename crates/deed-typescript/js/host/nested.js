// Tools that run other tools: through the host's whole pipeline.

import { messageOf } from "deed:errors";
import { onAbort } from "deed:globals/events";
import { nextId, op, opAsync } from "deed:native";

/** Runs another tool; failures come back as results. */
export async function runNested(callId, name, args, { signal } = {}) {
  const id = nextId("nested");
  const stop = onAbort(signal, () => op("tools.cancelNested", { id }));
  try {
    return await opAsync("tools.execute", { callId, id, name, args });
  } catch (error) {
    return { toolCall: { type: "toolCall", id: `${callId}/0`, name, arguments: args ?? {} }, result: { content: [{ type: "text", text: messageOf(error) }], details: {} }, isError: true };
  } finally {
    stop();
  }
}
