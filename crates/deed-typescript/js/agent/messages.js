// Messages: as a model reads them, and as one text.

const SUMMARY_CHARS = 2000;

const text = (value) => [{ type: "text", text: value }];
const user = (content, timestamp) => ({ role: "user", content, timestamp });

function commandText({ command, output, cancelled, exitCode, truncated, fullOutputPath }) {
  const parts = [`I ran \`${command}\`.`, output ? `\`\`\`\n${output}\n\`\`\`` : "It printed nothing."];
  if (cancelled) parts.push("It was cancelled.");
  else if (exitCode) parts.push(`It exited with code ${exitCode}.`);
  if (truncated && fullOutputPath) parts.push(`The whole output is in ${fullOutputPath}.`);
  return parts.join("\n\n");
}

const summary = (head, body) => text(`${head}\n\n<summary>\n${body}\n</summary>`);

const AS_USER = {
  bashExecution: (message) => (message.excludeFromContext ? undefined : text(commandText(message))),
  branchSummary: (message) => summary("We come back from another branch of this conversation. This is what happened there:", message.summary),
  compactionSummary: (message) => summary("The conversation before this point, in short:", message.summary),
  custom: (message) => (typeof message.content === "string" ? text(message.content) : message.content),
};
const AS_IS = new Set(["system", "user", "assistant", "toolResult"]);

/** Brings messages of all kinds into those that a model takes. */
export function convertToLlm(messages) {
  return messages.flatMap((message) => {
    if (AS_IS.has(message.role)) return [message];
    const content = AS_USER[message.role]?.(message);
    return content === undefined ? [] : [user(content, message.timestamp)];
  });
}

const textOf = (content) => (typeof content === "string" ? content : content.filter((block) => block.type === "text").map((block) => block.text).join("\n"));
const shorten = (value) => (value.length > SUMMARY_CHARS ? `${value.slice(0, SUMMARY_CHARS)}\n[${value.length - SUMMARY_CHARS} more characters]` : value);
const callText = ({ name, arguments: args }) => `${name}(${Object.entries(args ?? {}).map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(", ")})`;

const WRITERS = {
  user: ({ content }) => [`[User]: ${textOf(content)}`],
  assistant({ content }) {
    const calls = content.filter((block) => block.type === "toolCall").map(callText);
    const said = textOf(content);
    return [...(said ? [`[Assistant]: ${said}`] : []), ...(calls.length > 0 ? [`[Assistant tool calls]: ${calls.join("; ")}`] : [])];
  },
  toolResult: ({ content }) => [`[Tool result]: ${shorten(textOf(content))}`],
};

/** Writes messages as one text, for a model that sums them up. */
export function serializeConversation(messages) {
  return messages.flatMap((message) => WRITERS[message.role]?.(message) ?? []).filter((part) => !/\]: $/.test(part)).join("\n\n");
}

const CHARS_PER_TOKEN = 4;
const IMAGE_CHARS = 4800;

/** Guesses how many tokens a message takes. */
export function estimateTokens(message) {
  const blocks = typeof message.content === "string" ? text(message.content) : (message.content ?? text(message.summary ?? `${message.command ?? ""}${message.output ?? ""}`));
  const size = (block) => {
    if (block.type === "image") return IMAGE_CHARS;
    if (block.type === "toolCall") return block.name.length + JSON.stringify(block.arguments).length;
    return (block.text ?? block.thinking ?? "").length;
  };
  return Math.ceil(blocks.reduce((sum, block) => sum + size(block), 0) / CHARS_PER_TOKEN);
}

export const calculateContextTokens = (usage) => usage.totalTokens || usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
