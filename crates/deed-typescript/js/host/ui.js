// ctx.ui: questions to a person, and what is shown beside the conversation.

import { guarded, partly, refused, UnsupportedError } from "deed:errors";
import { onAbort } from "deed:globals/events";
import { isTheme, theme } from "deed:host/theme";
import { current, scopeOf } from "deed:host/state";
import { log, nextId, op, opAsync } from "deed:native";
import { stripTerminalSequences } from "deed:tui/sequences";

async function ask(dispatch, kind, question, options = {}) {
  const { signal, timeout } = options ?? {};
  if (!current("hasUI", dispatch?.scope) || signal?.aborted) return undefined;
  const id = nextId("ask");
  const { promise: takenBack, resolve } = Promise.withResolvers();
  const stop = onAbort(signal, () => {
    op("ui.cancel", { id });
    resolve(undefined);
  });
  try {
    const asked = opAsync(`ui.${kind}`, { id, ...question, timeoutMs: timeout, ...scopeOf(dispatch) });
    const answer = await Promise.race([asked, takenBack]);
    return answer?.value ?? undefined;
  } finally {
    stop();
  }
}

const toldOnce = new Set();
/** Shows something; a host that cannot says so once in its diagnostics. */
function show(name, args) {
  try {
    return op(`ui.${name}`, args);
  } catch (error) {
    if (error.name !== "UnsupportedError" && error.code !== "ERR_UNSUPPORTED") throw error;
    if (!toldOnce.has(name)) log("warn", error.message);
    toldOnce.add(name);
    return undefined;
  }
}

/** Refuses a component: with nobody at the screen it is left out, as Pi does. */
function component(member) {
  return refused(NO_COMPONENTS, (factory) => {
    if (factory === undefined || !current("hasUI")) return undefined;
    throw new UnsupportedError(`'ctx.ui.${member}' with a component`);
  });
}

const NO_COMPONENTS = "no components of one's own; with nobody to see them they are left out, as in Pi";
const NO_THEMES = "there is one theme, and text stays plain";
const NOT_SHOWN = "no front end shows it";

const orNull = (value) => (value === undefined ? null : value);
/** A text as it is without colours; the host takes out what else a terminal would obey. */
const plain = (text) => stripTerminalSequences(String(text));
const plainOrNull = (text) => (text === undefined || text === null ? null : plain(text));

function setWidget(key, content, options) {
  if (typeof content === "function") return component("setWidget")(content);
  const lines = Array.isArray(content) ? content.map(plain) : orNull(content);
  show("setWidget", { key, lines, placement: options?.placement ?? "aboveEditor" });
}

function setTheme(wanted) {
  if (isTheme(wanted)) return { success: true };
  return show("setTheme", { name: String(wanted?.name ?? wanted) }) ?? { success: false, error: "themes can't be changed here" };
}

const SHOWN = {
  notify: (message, type = "info") => void show("notify", { message: plain(message), level: type }),
  setStatus: (key, text) => void show("setStatus", { key, text: plainOrNull(text) }),
  setWidget: partly("lines; no components", setWidget),
  setTitle: (title) => void show("setTitle", { title: plain(title) }),
  setWorkingMessage: (message) => void show("setWorkingMessage", { message: plainOrNull(message) }),
  setWorkingVisible: partly(NOT_SHOWN, (visible) => void show("setWorkingVisible", { visible: Boolean(visible) })),
  setWorkingIndicator: partly(NOT_SHOWN, (options) => void show("setWorkingIndicator", { options: orNull(options) })),
  setHiddenThinkingLabel: partly(NOT_SHOWN, (label) => void show("setHiddenThinkingLabel", { label: orNull(label) })),
  pasteToEditor: (text) => void show("pasteToEditor", { text: String(text) }),
  setEditorText: (text) => void show("setEditorText", { text: String(text) }),
  getEditorText: () => show("editorText")?.text ?? "",
  getAllThemes: partly(NO_THEMES, () => show("themes")?.themes ?? []),
  getTheme: partly(NO_THEMES, (name) => (name === theme.name ? theme : undefined)),
  setTheme: partly(NO_THEMES, setTheme),
  getToolsExpanded: partly(NOT_SHOWN, () => show("toolsExpanded")?.expanded ?? false),
  setToolsExpanded: partly(NOT_SHOWN, (expanded) => void show("setToolsExpanded", { expanded: Boolean(expanded) })),
  setFooter: component("setFooter"),
  setHeader: component("setHeader"),
  setEditorComponent: component("setEditorComponent"),
  getEditorComponent: partly("there is none", () => undefined),
  addAutocompleteProvider: component("addAutocompleteProvider"),
  onTerminalInput: refused(NO_COMPONENTS, (handler) => component("onTerminalInput")(handler) ?? (() => {})),
  custom: refused(NO_COMPONENTS, async (factory) => component("custom")(factory)),
};

/** Makes the ui of a context; its questions belong to a dispatch. */
export function makeUi(dispatch, before) {
  const questions = {
    select: (title, options, settings) => ask(dispatch, "select", { title: String(title), options: [...options].map(String) }, settings),
    confirm: async (title, message, settings) => (await ask(dispatch, "confirm", { title: String(title), message: String(message ?? "") }, settings)) === true,
    input: (title, placeholder, settings) => ask(dispatch, "input", { title: String(title), placeholder }, settings),
    editor: (title, prefill, settings) => ask(dispatch, "editor", { title: String(title), prefill }, settings),
  };
  return guarded({ ...SHOWN, ...questions, theme }, "ctx.ui", before);
}
