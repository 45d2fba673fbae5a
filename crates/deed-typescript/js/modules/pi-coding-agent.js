// @earendil-works/pi-coding-agent: what extensions import from the agent itself.

import { createToolDefinition } from "deed:host/builtin-tools";
import { partly } from "deed:errors";
import { Theme } from "deed:host/theme";
import { builtInCalls, hostInfo } from "deed:native";

export * from "deed:modules/stubs/pi-coding-agent";
export { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize, truncateHead, truncateLine, truncateTail } from "deed:agent/truncate";
export { messagesOf as sessionEntryToContextMessages } from "deed:host/session-view";
export { Theme };

// What few extensions use is loaded with the first call.
export const [parseFrontmatter, stripFrontmatter] = builtInCalls("agent/frontmatter", "parseFrontmatter", "stripFrontmatter");
export const [getLanguageFromPath] = builtInCalls("agent/languages", "getLanguageFromPath");
export const [calculateContextTokens, convertToLlm, estimateTokens, serializeConversation] = builtInCalls("agent/messages", "calculateContextTokens", "convertToLlm", "estimateTokens", "serializeConversation");
export const [withFileMutationQueue] = builtInCalls("agent/queue", "withFileMutationQueue");
export const [createLocalBashOperations, getShellConfig] = builtInCalls("agent/shell", "createLocalBashOperations", "getShellConfig");
const [wrapTextWithAnsi] = builtInCalls("tui/width", "wrapTextWithAnsi");

/** Keeps the types of a definition; does nothing else. */
export const defineTool = (tool) => tool;

const maker = (tool) => (cwd, options) => createToolDefinition(tool, cwd, options);
export const createBashTool = maker("bash");
export const createEditTool = maker("edit");
export const createFindTool = maker("find");
export const createGrepTool = maker("grep");
export const createLsTool = maker("ls");
export const createPowerShellTool = maker("powershell");
export const createReadTool = maker("read");
export const createWriteTool = maker("write");
export const createBashToolDefinition = createBashTool;
export const createEditToolDefinition = createEditTool;
export const createFindToolDefinition = createFindTool;
export const createGrepToolDefinition = createGrepTool;
export const createLsToolDefinition = createLsTool;
export const createPowerShellToolDefinition = createPowerShellTool;
export const createReadToolDefinition = createReadTool;
export const createWriteToolDefinition = createWriteTool;
export const createCodingTools = (cwd, options = {}) => ["read", "bash", "edit", "write"].map((tool) => createToolDefinition(tool, cwd, options[tool]));
export const createReadOnlyTools = (cwd, options = {}) => ["read", "grep", "find", "ls"].map((tool) => createToolDefinition(tool, cwd, options[tool]));

export const VERSION = hostInfo().piVersion ?? "1.6.0";
export const CONFIG_DIR_NAME = hostInfo().configDirName ?? ".deed";
export const CURRENT_SESSION_VERSION = 3;
export const getAgentDir = () => hostInfo().agentDir ?? `${hostInfo().homedir ?? ""}/.config/deed`;

const isResultOf = (tool) => (event) => event.toolName === tool;
export const isBashToolResult = isResultOf("bash");
export const isEditToolResult = isResultOf("edit");
export const isFindToolResult = isResultOf("find");
export const isGrepToolResult = isResultOf("grep");
export const isLsToolResult = isResultOf("ls");
export const isPowerShellToolResult = isResultOf("powershell");
export const isReadToolResult = isResultOf("read");
export const isWriteToolResult = isResultOf("write");
export const isToolCallEventType = (tool, event) => event.toolName === tool;

const isGiven = (value) => value !== undefined && value !== null;
const whole = (value) => (typeof value === "number" || (typeof value === "string" && value.trim() !== "") ? Number(value) : Number.NaN);
/** Writes which lines a read asks for, such as `:3-7`; nothing if it can't be told. */
export function formatReadLineRange(offset, limit) {
  const given = [offset, limit].filter(isGiven);
  if (given.length === 0 || !given.every((value) => Number.isFinite(whole(value)))) return "";
  const start = isGiven(offset) ? whole(offset) : 1;
  return isGiven(limit) ? `:${start}-${start + whole(limit) - 1}` : `:${start}`;
}

const plain = partly("text stays plain", (text) => String(text));
const plainMembers = (names) => Object.fromEntries(names.map((name) => [name, plain]));
export const getMarkdownTheme = partly("text stays plain", () => ({ ...plainMembers(["heading", "link", "linkUrl", "code", "codeBlock", "codeBlockBorder", "quote", "quoteBorder", "hr", "listBullet", "bold", "italic", "strikethrough", "underline"]), highlightCode }));
export const getSelectListTheme = partly("text stays plain", () => plainMembers(["selectedPrefix", "selectedText", "description", "scrollInfo", "noMatch"]));
export const getSettingsListTheme = partly("text stays plain", () => ({ ...plainMembers(["label", "value", "description", "hint"]), cursor: "→ " }));
export const initTheme = partly("does nothing", () => {});
export const highlightCode = partly("text stays plain", (code) => String(code).split("\n"));
export const renderDiff = plain;
export const keyText = plain;
export const rawKeyHint = partly("text stays plain", (key, description) => `${key} ${description}`);
export const keyHint = rawKeyHint;

/** Keeps the last lines of a text as a terminal of some width breaks it. */
export function truncateToVisualLines(text, maxVisualLines, width, paddingX = 0) {
  const lines = text === "" ? [] : wrapTextWithAnsi(text, Math.max(1, width - 2 * paddingX)).map((line) => " ".repeat(paddingX) + line);
  return { visualLines: lines.slice(-maxVisualLines), skippedCount: Math.max(0, lines.length - maxVisualLines) };
}

/** A line across. */
export class DynamicBorder {
  constructor(color = plain) {
    this.color = color;
  }
  invalidate() {}
  render(width) {
    return [this.color("─".repeat(Math.max(1, width)))];
  }
}

/** A bus of one's own. */
export function createEventBus() {
  const listeners = new Map();
  return {
    on(channel, listener) {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener]);
      return () => listeners.set(channel, (listeners.get(channel) ?? []).filter((other) => other !== listener));
    },
    emit(channel, data) {
      for (const listener of listeners.get(channel) ?? []) listener(data);
    },
    clear: () => listeners.clear(),
  };
}

export const getLatestCompactionEntry = (entries) => entries.findLast((entry) => entry.type === "compaction") ?? null;
export const parseSessionEntries = (content) => content.split("\n").flatMap((line) => {
  try {
    return line.trim() === "" ? [] : [JSON.parse(line)];
  } catch {
    return [];
  }
});
export const createSyntheticSourceInfo = (path, { source = "local", scope = "temporary", origin = "top-level", baseDir } = {}) => ({ path, source, scope, origin, baseDir });
