// A tool, a gate and a command. Deed loads this file as it is; tsconfig.json is for your editor.

import { type ExtensionAPI, isToolCallEventType, truncateHead } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

// Narrow parameters: named, described, bounded, and nothing else.
const parameters = Type.Object(
  {
    count: Type.Integer({ minimum: 1, maximum: 50, description: "How many commits, newest first" }),
    path: Type.Optional(Type.String({ description: "Only commits that changed this file or folder, such as src/main.rs" })),
  },
  { additionalProperties: false },
);

export default function (pi: ExtensionAPI) {
  async function log(count: number, path: string | undefined, signal?: AbortSignal) {
    const args = ["log", `--max-count=${count}`, "--format=%h %ad %s", "--date=short"];
    const { stdout, stderr, code } = await pi.exec("git", path ? [...args, "--", path] : args, { signal, timeout: 10_000 });
    // What is thrown is the error that the model sees.
    if (code !== 0) throw new Error(stderr.trim() || `git ended with ${code}`);
    return stdout;
  }

  pi.registerTool({
    name: "{{tool}}_log",
    label: "Commits",
    description: "Lists recent commits of the repository: hash, date and subject, one a line.",
    promptSnippet: "List recent commits",
    parameters,
    // It runs a program: no other call of the batch runs meanwhile.
    executionMode: "sequential",
    async execute(_toolCallId, { count, path }, signal) {
      // Aborting the run ends the program.
      const commits = await log(count, path, signal);
      // Bounded: what the model gets is cut at whole lines, and says so.
      const { content, truncated, outputLines, totalLines } = truncateHead(commits, { maxLines: 50, maxBytes: 8_000 });
      const note = truncated ? `\n[${outputLines} of ${totalLines} lines]` : "";
      return { content: [{ type: "text", text: content + note }], details: { commits: totalLines } };
    },
  });

  // A gate: what it does not block goes on to the rules of the session, which still decide.
  pi.on("tool_call", async (event, ctx) => {
    if (!isToolCallEventType("bash", event) || !/\bgit\s+push\b/.test(event.input.command)) return undefined;
    // With nobody to ask, no is the answer.
    if (!ctx.hasUI) return { block: true, reason: "pushing needs somebody who agrees" };
    const agreed = await ctx.ui.confirm("Push?", event.input.command);
    return agreed ? undefined : { block: true, reason: "the person said no to pushing" };
  });

  pi.registerCommand("{{name}}", {
    description: "Shows the last commit",
    handler: async (_args, ctx) => {
      ctx.ui.notify((await log(1, undefined)).trim(), "info");
    },
  });
}
