// The contexts of handlers, tools and commands. Each value is that of the moment it is read.

import { guarded, guardedLater, UnsupportedError } from "deed:errors";
import { makeModels } from "deed:host/models";
import { makeSessionView } from "deed:host/session-view";
import { assertFresh, current, runSignal } from "deed:host/state";
import { runNested } from "deed:host/nested";
import { makeUi } from "deed:host/ui";
import { op, opAsync } from "deed:native";

function compact({ customInstructions, onComplete, onError } = {}) {
  opAsync("ctx.compact", { customInstructions }).then(
    (result) => onComplete?.(result),
    (error) => onError?.(error),
  );
}

/** What is missing of members of contexts; the documentation is made of these notes. */
export const NOTES = {
  scopedModels: "always empty",
  compact: "`onComplete` comes when it was asked for, without a result",
  newSession: "without `setup` and `withSession`",
  fork: "without `withSession`",
  switchSession: "without `withSession`",
};

/** The members of every context. `before` refuses stale objects. */
function members(dispatch, before) {
  // Made when they are first read: most handlers look at the event alone, and each has a context.
  let ui, sessionManager, modelRegistry;
  return {
    get ui() {
      return (ui ??= makeUi(dispatch, before));
    },
    get sessionManager() {
      return (sessionManager ??= makeSessionView(before));
    },
    get modelRegistry() {
      return (modelRegistry ??= makeModels(before));
    },
    get mode() {
      return current("mode") ?? "print";
    },
    get hasUI() {
      return Boolean(current("hasUI"));
    },
    get cwd() {
      return current("cwd");
    },
    get model() {
      return current("model");
    },
    get scopedModels() {
      return current("scopedModels") ?? [];
    },
    get thinkingLevel() {
      return current("thinkingLevel");
    },
    get signal() {
      return runSignal();
    },
    isIdle: () => current("isIdle") ?? true,
    isProjectTrusted: () => current("isProjectTrusted") ?? false,
    hasPendingMessages: () => current("hasPendingMessages") ?? false,
    getContextUsage: () => current("contextUsage"),
    getSystemPrompt: () => current("systemPrompt") ?? "",
    abort: () => void op("ctx.abort"),
    shutdown: () => void op("ctx.shutdown"),
    compact,
  };
}

const extend = (base, more) => Object.defineProperties(base, Object.getOwnPropertyDescriptors(more));

/** Makes the context of an event handler. */
export const eventContext = (dispatch) => guardedLater(() => members(dispatch, assertFresh), "ctx", assertFresh);

/** Makes the context of a running tool. */
export function toolContext(dispatch, callId, signal) {
  const more = {
    get tools() {
      return op("tools.callable").tools;
    },
    executeTool: (name, args, options = {}) => runNested(callId, name, args, { ...options, signal: options.signal ?? signal }),
  };
  return guarded(extend(members(dispatch, assertFresh), more), "ctx", assertFresh);
}

/** Makes the context of a command. */
export function commandContext(dispatch, before = assertFresh) {
  const more = {
    getSystemPromptOptions: () => current("systemPromptOptions") ?? {},
    waitForIdle: () => opAsync("ctx.waitForIdle").then(() => undefined),
    reload: () => opAsync("ctx.reload").then(() => undefined),
    newSession: ({ setup, withSession, ...options } = {}) => replace("new", options, withSession, setup),
    fork: (entryId, { withSession, ...options } = {}) => replace("fork", { entryId, ...options }, withSession),
    switchSession: (path, { withSession } = {}) => replace("switch", { path }, withSession),
    navigateTree: (targetId, options) => opAsync("session.navigate", { targetId, ...options }),
  };
  return guarded(extend(members(dispatch, before), more), "ctx", before);
}

/** Puts another session in the place of this one; what runs after that gets a context of its own. */
async function replace(how, options, withSession, setup) {
  // Each session has engines of its own: what runs in the other one can't run here.
  if (setup) throw new UnsupportedError("'setup' of 'ctx.newSession'");
  if (withSession) throw new UnsupportedError(`'withSession' of ctx (session.${how})`);
  return opAsync(`session.${how}`, options);
}

/** Makes the context of a handler that is asked for trust, before there is a session. */
export function trustContext(dispatch) {
  const { scope } = dispatch;
  const { select, confirm, input } = makeUi(dispatch, assertFresh);
  const notify = (message, level = "info") => void op("ui.notify", { message: String(message), level, scope });
  return guarded({ cwd: current("cwd"), mode: current("mode"), hasUI: Boolean(current("hasUI", scope)), ui: guarded({ select, confirm, input, notify }, "ctx.ui") }, "ctx");
}
