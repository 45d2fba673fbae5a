// Passive renderers: what they return becomes blocks of a card.

import { toBlocks } from "deed:tui/blocks";
import { UnsupportedError } from "deed:errors";
import { theme } from "deed:host/theme";
import { current, renderers, tools } from "deed:host/state";

const MOST_STATES = 200;
const states = new Map();

/** Returns what the renderers of one call share; the oldest goes when there are too many. */
function stateOf(callId) {
  const known = states.get(callId);
  if (known) return known;
  const made = { state: {}, call: undefined, result: undefined };
  if (!callId) return made;
  if (states.size >= MOST_STATES) states.delete(states.keys().next().value);
  states.set(callId, made);
  return made;
}

const hints = { keyText: (key) => String(key), keyHint: (key, description) => `${key} ${description}` };

function contextOf(view, shared, slot) {
  return {
    args: {},
    toolCallId: "",
    executionStarted: true,
    argsComplete: true,
    isPartial: false,
    expanded: false,
    showImages: false,
    isError: false,
    durationMs: undefined,
    outputPad: 0,
    ...view,
    ...hints,
    cwd: current("cwd"),
    state: shared.state,
    lastComponent: shared[slot],
    invalidate() {},
  };
}

function renderersOf(name) {
  const own = () => tools.get(name);
  const resolve = (at) => (at < renderers.tool.length ? renderers.tool[at](name, () => resolve(at + 1)) : own());
  return resolve(0);
}

const KINDS = {
  call(name, view) {
    const render = renderersOf(name)?.renderCall;
    if (!render) return undefined;
    const shared = stateOf(view.toolCallId ?? "");
    return (shared.call = render(view.args ?? {}, theme, contextOf(view, shared, "call")));
  },
  result(name, view) {
    const render = renderersOf(name)?.renderResult;
    if (!render) return undefined;
    const shared = stateOf(view.toolCallId ?? "");
    const { expanded = false, isPartial = false } = view;
    return (shared.result = render(view.result, { expanded, isPartial }, theme, contextOf(view, shared, "result")));
  },
  message: (name, { message, expanded = false }) => renderers.message.get(name)?.(message, { expanded, outputPad: 0, ...hints }, theme),
  entry: (name, { entry, expanded = false }) => renderers.entry.get(name)?.(entry, { expanded, ...hints }, theme),
};

/** Renders; undefined if there is no renderer or it has nothing to show. */
export function render(kind, name, view) {
  if (kind === "markdown") return { markdown: renderers.markdown.reduce((text, { transform, types }) => (types.has(view.messageType) ? transform(text, view) : text), view.markdown) };
  const run = KINDS[kind];
  if (!run) throw new UnsupportedError(`rendering of '${kind}'`);
  const component = run(name, view);
  return component ? { blocks: toBlocks(component) } : undefined;
}
