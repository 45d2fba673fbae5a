// Runs the handlers of an event, in the order of registration and one after the other, and merges
// what they answer. Who is asked is settled when the event begins.

import { messageOf, stackOf } from "deed:errors";
import { eventContext, trustContext } from "deed:host/context";
import { keepOperations } from "deed:host/operations";
import { AbortController } from "deed:globals/events";
import { controllerOf, handlers, runSignal, within } from "deed:host/state";
import { op } from "deed:native";

function report(event, error) {
  op("report.error", { event, error: messageOf(error), stack: stackOf(error) });
}

const snapshot = (name) => [...(handlers.get(name) ?? [])];
const same = (value, before) => JSON.stringify(value) === before;

/** Asks all handlers; one that fails is reported and the next is asked. `take` may say stop. */
async function each(event, context, take = () => false) {
  for (const handler of snapshot(event.type)) {
    try {
      if (take(await handler(event, context))) return true;
    } catch (error) {
      report(event.type, error);
    }
  }
  return false;
}

/** A guard: what a handler throws blocks the call, and so goes to the host. */
async function toolCall(event, context, dispatch) {
  const { input } = event;
  const before = JSON.stringify(input);
  dispatch.changedInput = () => (same(input, before) ? undefined : input);
  const withInput = (reply) => {
    const changed = dispatch.changedInput();
    return changed === undefined ? reply : { ...reply, input: changed };
  };
  for (const handler of snapshot(event.type)) {
    const reply = await judge(handler, event, context);
    if (reply?.block) return withInput({ block: true, reason: reply.reason, terminate: reply.terminate });
  }
  return withInput(undefined);
}

async function judge(handler, event, context) {
  try {
    return await handler(event, context);
  } catch (error) {
    if (error instanceof Error) throw error;
    throw new Error(`a tool_call handler failed: ${messageOf(error)}`);
  }
}

const RESULT_FIELDS = ["content", "details", "structuredContent", "isError", "usage", "terminate"];

async function toolResult(event, context) {
  const before = Object.fromEntries(RESULT_FIELDS.map((field) => [field, JSON.stringify(event[field])]));
  await each(event, context, (patch) => {
    if (!patch) return;
    // Structured content that was not replaced along with the content may not fit it any more.
    if (patch.content !== undefined && patch.structuredContent === undefined) delete event.structuredContent;
    for (const field of RESULT_FIELDS) if (patch[field] !== undefined) event[field] = patch[field];
  });
  const changed = RESULT_FIELDS.filter((field) => !same(event[field], before[field]) && !(field === "details" && event.details === null));
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map((field) => [field, event[field] ?? null]));
}

async function input(event, context) {
  const { text, images } = event;
  const handled = await each(event, context, (reply) => {
    if (reply?.action === "transform") {
      event.text = reply.text;
      if (reply.images !== undefined) event.images = reply.images;
    }
    return reply?.action === "handled";
  });
  if (handled) return { action: "handled" };
  if (event.text === text && event.images === images) return undefined;
  return { action: "transform", text: event.text, images: event.images };
}

async function beforeAgentStart(event, context) {
  const messages = [];
  const prompt = event.systemPrompt;
  const options = JSON.stringify(event.systemPromptOptions);
  let systemPrompt = prompt;
  Object.defineProperty(event, "systemPrompt", { get: () => systemPrompt, enumerable: true, configurable: true });
  await each(event, context, (reply) => {
    if (reply?.message) messages.push(reply.message);
    if (reply?.systemPrompt !== undefined) systemPrompt = reply.systemPrompt;
  });
  const reply = {};
  if (messages.length > 0) reply.messages = messages;
  if (systemPrompt !== prompt) reply.systemPrompt = systemPrompt;
  if (!same(event.systemPromptOptions, options)) reply.systemPromptOptions = event.systemPromptOptions;
  return Object.keys(reply).length > 0 ? reply : undefined;
}

async function contextMessages(event, context) {
  const before = JSON.stringify(event.messages);
  await each(event, context, (reply) => {
    if (reply?.messages) event.messages = reply.messages;
  });
  return same(event.messages, before) ? undefined : { messages: event.messages };
}

async function messageEnd(event, context) {
  const before = JSON.stringify(event.message);
  const { role } = event.message;
  await each(event, context, (reply) => {
    if (!reply?.message) return;
    if (reply.message.role !== role) throw new Error(`a message_end handler answered a message of role '${reply.message.role}' for one of role '${role}'`);
    event.message = reply.message;
  });
  return same(event.message, before) ? undefined : { message: event.message };
}

async function sessionBefore(event, context) {
  let result;
  await each(event, context, (reply) => {
    if (reply) result = reply;
    return Boolean(reply?.cancel);
  });
  return result;
}

/** Asked until one answers; what it throws, and an answer that is none, end the command. */
async function userBash(event, context) {
  for (const handler of snapshot(event.type)) {
    let reply;
    try {
      reply = await handler(event, context);
      if (reply === undefined || reply === null) continue;
      const hasOne = (reply.operations === undefined) !== (reply.result === undefined);
      if (!hasOne) throw new Error("a user_bash handler must answer either `operations` or `result`");
      if (reply.operations !== undefined && typeof reply.operations?.exec !== "function") throw new Error("`operations` of a user_bash handler need a function `exec`");
    } catch (error) {
      // The host reports it, and the command does not run.
      if (error instanceof Error) throw error;
      throw new Error(`a user_bash handler failed: ${messageOf(error)}`);
    }
    return reply.result === undefined ? { operations: keepOperations(reply.operations) } : { result: reply.result };
  }
  return undefined;
}

const PATHS = ["skillPaths", "promptPaths", "themePaths"];

async function resourcesDiscover(event, context) {
  const found = Object.fromEntries(PATHS.map((kind) => [kind, []]));
  await each(event, context, (reply) => {
    for (const kind of PATHS) found[kind].push(...(reply?.[kind] ?? []));
  });
  return PATHS.some((kind) => found[kind].length > 0) ? found : undefined;
}

async function projectTrust(event, _context, dispatch) {
  let decision;
  await each(event, trustContext(dispatch), (reply) => {
    if (reply?.trusted !== "yes" && reply?.trusted !== "no") return false;
    decision = { trusted: reply.trusted, remember: reply.remember };
    return true;
  });
  return decision;
}

async function beforeProviderHeaders(event, context) {
  const before = JSON.stringify(event.headers);
  await each(event, context);
  return same(event.headers, before) ? undefined : { headers: event.headers };
}

async function beforeProviderRequest(event, context) {
  const before = JSON.stringify(event.payload);
  await each(event, context, (reply) => {
    if (reply !== undefined) event.payload = reply;
  });
  return same(event.payload, before) ? undefined : { payload: event.payload };
}

async function cacheWarming(event, context) {
  let action;
  await each(event, context, (reply) => {
    if (reply?.action !== undefined) action = reply.action;
  });
  return action === undefined ? undefined : { action };
}

async function boundary(event, context) {
  const reply = {};
  await each(event, context, (answer) => {
    for (const field of ["entries", "continue"]) {
      if (answer?.[field] !== undefined) event[field] = reply[field] = answer[field];
    }
  });
  return Object.keys(reply).length > 0 ? reply : undefined;
}

const told = async (event, context) => void (await each(event, context));

const RULES = {
  agent_before_settle: boundary,
  before_agent_start: beforeAgentStart,
  before_provider_headers: beforeProviderHeaders,
  before_provider_request: beforeProviderRequest,
  cache_warming_decision: cacheWarming,
  context: contextMessages,
  context_with_system: contextMessages,
  input,
  message_end: messageEnd,
  project_trust: projectTrust,
  resources_discover: resourcesDiscover,
  session_before_compact: sessionBefore,
  session_before_fork: sessionBefore,
  session_before_switch: sessionBefore,
  session_before_tree: sessionBefore,
  tool_call: toolCall,
  tool_result: toolResult,
  turn_end: boundary,
  user_bash: userBash,
};

/** What is missing of events; the documentation is made of these notes. */
export const NOTES = {
  turn_end: "without entry ids and `context`; answers are not used",
};

/** Events whose handlers get a signal of their own work. */
const WITH_SIGNAL = new Set(["session_before_compact", "session_before_tree"]);

/** Tells the handlers of an event, and gives their merged answer. */
export async function dispatchEvent(name, event, scope) {
  if (snapshot(name).length === 0) return undefined;
  event.type = name;
  if (WITH_SIGNAL.has(name)) {
    event.signal = event.signalId !== undefined ? controllerOf(event.signalId).signal : (runSignal() ?? new AbortController().signal);
    delete event.signalId;
  }
  const dispatch = { scope };
  return within(dispatch, () => (RULES[name] ?? told)(event, eventContext(dispatch), dispatch));
}
