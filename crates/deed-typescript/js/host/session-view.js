// ctx.sessionManager: the session as it can be read.

import { guarded } from "deed:errors";
import { op } from "deed:native";

const info = () => op("session.info") ?? {};
const tree = () => op("session.entries") ?? { entries: [], leafId: null };
const none = (value) => (value === null ? undefined : value);

function branchOf({ entries, leafId }, fromId) {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const path = [];
  for (let entry = byId.get(fromId ?? leafId); entry && !path.includes(entry); entry = byId.get(entry.parentId)) path.push(entry);
  return path.reverse();
}

function labelsOf(entries) {
  const labels = new Map();
  for (const entry of entries) {
    if (entry.type === "label") labels.set(entry.targetId, { label: entry.label, at: entry.timestamp });
  }
  return labels;
}

function treeOf(entries) {
  const labels = labelsOf(entries);
  const nodes = new Map(entries.map((entry) => [entry.id, { entry, children: [], label: labels.get(entry.id)?.label, labelTimestamp: labels.get(entry.id)?.at }]));
  const roots = [];
  for (const node of nodes.values()) (nodes.get(node.entry.parentId)?.children ?? roots).push(node);
  return roots;
}

/** Entries that reach the model, as messages: those before the last compaction left out. */
function contextMessages(branch) {
  const at = branch.findLastIndex((entry) => entry.type === "compaction");
  const compaction = branch[at];
  const kept = at < 0 ? branch : [compaction, ...branch.slice(Math.max(0, branch.findIndex((entry) => entry.id === compaction.firstKeptEntryId)), at), ...branch.slice(at + 1)];
  return kept.flatMap((sourceEntry) => {
    const messages = messagesOf(sourceEntry);
    return messages.length > 0 ? [{ sourceEntry, messages }] : [];
  });
}

/** Returns the messages that an entry stands for. */
export function messagesOf(entry) {
  const timestamp = new Date(entry.timestamp).getTime();
  switch (entry.type) {
    case "message":
      return [entry.message];
    case "custom_message":
      return [{ role: "custom", customType: entry.customType, content: entry.content, display: entry.display, details: entry.details, timestamp }];
    case "branch_summary":
      return entry.summary ? [{ role: "branchSummary", summary: entry.summary, fromId: entry.fromId, timestamp }] : [];
    case "compaction":
      return [{ role: "compactionSummary", summary: entry.summary, tokensBefore: entry.tokensBefore, timestamp }];
    default:
      return [];
  }
}

function projection() {
  const state = tree();
  const branch = branchOf(state);
  const entries = contextMessages(branch);
  const model = branch.findLast((entry) => entry.type === "model_change");
  const thinking = branch.findLast((entry) => entry.type === "thinking_level_change");
  return { entries, messages: entries.flatMap((entry) => entry.messages), thinkingLevel: thinking?.thinkingLevel ?? "off", model: model ? { provider: model.provider, modelId: model.modelId } : null };
}

const METHODS = {
  getCwd: () => info().cwd,
  getSessionDir: () => info().dir,
  getSessionId: () => info().id,
  getSessionFile: () => none(info().file),
  getSessionName: () => none(info().name),
  getHeader: () => info().header ?? null,
  getLeafId: () => tree().leafId,
  getLeafEntry() {
    const { entries, leafId } = tree();
    return entries.find((entry) => entry.id === leafId);
  },
  getEntry: (id) => tree().entries.find((entry) => entry.id === id),
  getEntries: () => tree().entries,
  getChildren: (id) => tree().entries.filter((entry) => entry.parentId === id),
  getLabel: (id) => labelsOf(tree().entries).get(id)?.label,
  getBranch: (fromId) => branchOf(tree(), fromId),
  getTree: () => treeOf(tree().entries),
  buildContextEntries: () => projection().entries.map((entry) => entry.sourceEntry),
  buildSessionProjection: projection,
  buildSessionContext() {
    const { messages, thinkingLevel, model } = projection();
    return { messages, thinkingLevel, model };
  },
  isPersisted: () => none(info().file) !== undefined,
};

export const makeSessionView = (before) => guarded(METHODS, "ctx.sessionManager", before);
