// What a program does that was written for Pi, with nothing but Pi's own client.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { RpcClient } from "@earendil-works/pi-coding-agent";

const client = new RpcClient({
  cliPath: fileURLToPath(new URL("deed.mjs", import.meta.url)),
  model: `script:${process.env.SCRIPT}`,
});

const questions = [];
client.onEvent((event) => {
  if (event.type !== "extension_ui_request" || event.method !== "select") return;
  questions.push(event);
  const answer = { type: "extension_ui_response", id: event.id, value: event.options[0] };
  client.process.stdin.write(`${JSON.stringify(answer)}\n`);
});

/** Waits for the next event that fits. */
function next(fits) {
  return new Promise((resolve) => {
    const stop = client.onEvent((event) => {
      if (fits(event)) {
        stop();
        resolve(event);
      }
    });
  });
}

const running = () => next((event) => event.type === "tool_execution_update");

async function step(name, act) {
  await act();
  console.log(`ok  ${name}`);
}

await client.start();
let first;

await step("prompt", async () => {
  const events = await client.promptAndWait("Hello");
  const deltas = events.filter((event) => event.assistantMessageEvent?.type === "text_delta");
  const text = deltas.map((event) => event.assistantMessageEvent.delta).join("");
  assert.equal(text, "Hello from the script.");
  assert.equal(await client.getLastAssistantText(), text);
});

await step("dialog", async () => {
  await client.promptAndWait("Make it");
  assert.equal(questions.length, 1);
  assert.match(questions[0].title, /echo made > made\.txt/);
  assert.equal(readFileSync("made.txt", "utf8"), "made\n");
});

await step("steer", async () => {
  const called = running();
  assert.equal(await client.prompt("Wait"), "started");
  await called;
  await assert.rejects(client.prompt("Too early"), /streamingBehavior/);
  assert.equal(await client.steer("To the left"), "queued");
  const idle = client.waitForIdle();
  writeFileSync("go", "");
  await idle;
  const messages = await client.getMessages();
  assert.equal(messages.at(-2).role, "user");
  assert.equal(await client.getLastAssistantText(), "Now to the left.");
});

await step("abort", async () => {
  const called = running();
  await client.prompt("Sleep");
  await called;
  assert.equal((await client.getState()).isStreaming, true);
  await client.abort();
  assert.equal((await client.getState()).isStreaming, false);
  assert.equal(existsSync("survived"), false);
});

await step("bash", async () => {
  const update = next((event) => event.type === "bash_execution_update");
  const ran = await client.bash("echo out; exit 3");
  assert.equal((await update).delta, "out\n");
  assert.deepEqual([ran.output, ran.exitCode, ran.cancelled], ["out\n", 3, false]);
  const sleeping = client.bash("echo up; sleep 300");
  await next((event) => event.type === "bash_execution_update");
  await client.abortBash();
  assert.equal((await sleeping).cancelled, true);
});

await step("fork", async () => {
  first = (await client.getState()).sessionFile;
  const [hello] = await client.getForkMessages();
  assert.equal(hello.text, "Hello");
  assert.deepEqual(await client.fork(hello.entryId), { text: "Hello", cancelled: false });
  const state = await client.getState();
  assert.notEqual(state.sessionFile, first);
  assert.equal(state.messageCount, 0);
});

await step("switch", async () => {
  assert.deepEqual(await client.switchSession(first), { cancelled: false });
  const state = await client.getState();
  assert.equal(state.sessionFile, first);
  assert.ok(state.messageCount > 8);
  const { entries, leafId } = await client.getEntries();
  assert.equal(entries.at(-1).id, leafId);
  assert.equal((await client.getTree()).tree.length, 1);
  assert.deepEqual(await client.clone(), { cancelled: false });
  await client.setSessionName("a copy");
  assert.equal((await client.getState()).sessionName, "a copy");
});

await step("compact", async () => {
  assert.deepEqual(await client.newSession(), { cancelled: false });
  await client.promptAndWait("word ".repeat(30000));
  await client.promptAndWait("again ".repeat(20000));
  const done = await client.compact("Be short.");
  assert.match(done.summary, /^What went on: greetings\./);
  assert.ok(done.tokensBefore > done.estimatedTokensAfter);
});

await step("controls", async () => {
  await client.setSteeringMode("all");
  await client.setFollowUpMode("all");
  await client.setAutoCompaction(false);
  await client.setAutoRetry(false);
  await client.abortRetry();
  const state = await client.getState();
  assert.equal(state.steeringMode, "all");
  assert.equal(state.autoCompactionEnabled, false);
  assert.deepEqual(await client.clearQueue(), { steering: [], followUp: [] });
  await client.setThinkingLevel("high");
  assert.equal(await client.cycleThinkingLevel(), null);
  assert.deepEqual(await client.getAvailableThinkingLevels(), ["off"]);
  assert.ok(Array.isArray(await client.getAvailableModels()));
  assert.ok(Array.isArray(await client.getCommands()));
  const stats = await client.getSessionStats();
  assert.ok(stats.totalMessages > 0 && stats.tokens.total >= 0);
  const { path } = await client.exportHtml("page.html");
  assert.match(readFileSync(path, "utf8"), /<html/);
  await assert.rejects(client.setModel("none", "none"), /none\/none/);
});

await client.stop();
console.log("ok  stop");
process.exit(0);
