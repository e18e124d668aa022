// The rows of docs/acp.md as the published TypeScript SDK sees them.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Agent } from "./agent.mjs";

let cwd, agent, sessionId;

before(async () => {
  cwd = await mkdtemp(join(tmpdir(), "mm-acp-"));
  await writeFile(join(cwd, "a.txt"), "hello\nworld\n");
  agent = new Agent(cwd);
});

after(async () => {
  agent.process.kill();
  await agent.exited;
  await rm(cwd, { recursive: true });
});

const text = (updates, kind = "agent_message_chunk") =>
  updates.filter((u) => u.sessionUpdate === kind).map((u) => u.content.text).join("");
const calls = (updates) => updates.filter((u) => u.sessionUpdate.startsWith("tool_call"));
const statuses = (updates) => calls(updates).map((u) => `${u.toolCallId} ${u.status}`);

test("initialize", async () => {
  const got = await agent.initialize();
  assert.equal(got.protocolVersion, 1);
  assert.equal(got.agentInfo.name, "bob");
  assert.equal(got.agentCapabilities.loadSession, true);
  assert.deepEqual(got.authMethods, []);
});

test("a new session tells its commands", async () => {
  ({ sessionId } = await agent.request("session/new", { cwd, mcpServers: [] }));
  assert.match(sessionId, /^\d{8}-\d{6}-[0-9a-f]{8}$/);
  const { availableCommands } = await agent.seen((u) => u.sessionUpdate === "available_commands_update");
  assert.deepEqual(availableCommands.slice(0, 2).map((c) => c.name), ["new", "compact"]);
  agent.take();
});

test("a command that is allowed", async () => {
  const { stopReason } = await agent.prompt(sessionId, "run echo hi");
  assert.equal(stopReason, "end_turn");
  const updates = agent.take();
  assert.deepEqual(statuses(updates), ["call_1 pending", "call_1 in_progress", "call_1 completed"]);
  const [pending, , completed] = calls(updates);
  assert.deepEqual([pending.title, pending.kind, pending.rawInput], ["bash: echo hi", "execute", { command: "echo hi" }]);
  assert.equal(completed.rawOutput.output, "hi");
  const [question] = agent.questions;
  assert.deepEqual(question.options.map((o) => `${o.optionId} ${o.kind}`), [
    "allow allow_once",
    "allow_always allow_always",
    "reject reject_once",
  ]);
  assert.equal(question.toolCall.toolCallId, "call_1");
  assert.ok(updates.some((u) => u.sessionUpdate === "usage_update" && u.size > 0 && u.used > 0));
  assert.notEqual(text(updates), "");
});

test("a command that is rejected", async () => {
  agent.answer = "reject";
  await agent.prompt(sessionId, "run touch made");
  agent.answer = "allow";
  const updates = agent.take();
  assert.deepEqual(statuses(updates), ["call_2 pending", "call_2 failed"]);
  assert.equal(calls(updates)[1].rawOutput.output, "[command rejected by the user]");
  await assert.rejects(readFile(join(cwd, "made")));
});

test("an edit shows a diff", async () => {
  await agent.prompt(sessionId, "replace world with there in a.txt");
  assert.equal(await readFile(join(cwd, "a.txt"), "utf8"), "hello\nthere\n");
  const diffs = calls(agent.take()).flatMap((u) => u.content ?? []).filter((c) => c.type === "diff");
  const diff = { type: "diff", path: join(cwd, "a.txt"), oldText: "hello\nworld\n", newText: "hello\nthere\n" };
  assert.deepEqual(diffs, [diff, diff]);
});

test("a cancel stops a command", async () => {
  const turn = agent.prompt(sessionId, "run sleep 60");
  await agent.seen((u) => u.status === "in_progress");
  const began = Date.now();
  await agent.cancel(sessionId);
  assert.equal((await turn).stopReason, "cancelled");
  assert.ok(Date.now() - began < 2000, "the command did not stop within two seconds");
  assert.equal(statuses(agent.take()).at(-1).split(" ")[1], "failed");
});

test("what is not there is refused", async () => {
  await assert.rejects(agent.prompt("20260101-000000-00000000", "hi"), { code: -32602 });
  await assert.rejects(agent.request("session/set_mode", { sessionId, modeId: "x" }), { code: -32601 });
  await assert.rejects(agent.request("session/load", { sessionId: "20260101-000000-00000000", cwd, mcpServers: [] }), { code: -32602 });
});

test("the SDK accepted every line", () => {
  const sent = agent.lines.map((line) => JSON.parse(line)).filter((m) => m.method === "session/update");
  assert.ok(sent.length > 20);
  assert.equal(agent.accepted, sent.length);
});

test("the end of stdin ends the agent", async () => {
  assert.equal(await agent.close(), 0);
});

test("another process replays the session", async () => {
  agent = new Agent(cwd);
  await agent.initialize();
  await agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  const updates = agent.take();
  assert.equal(updates.at(-1).sessionUpdate, "available_commands_update");
  assert.match(text(updates, "user_message_chunk"), /^run echo hirun touch madereplace world with there in a\.txtrun sleep 60$/);
  const replayed = calls(updates);
  assert.equal(replayed[0].toolCallId, "call_1");
  assert.ok(replayed.every((u) => u.sessionUpdate === "tool_call" && u.status === "completed"));
  assert.equal(agent.questions.length, 0);
});

test("/new forgets", async () => {
  await agent.prompt(sessionId, "/new");
  assert.match(text(agent.take()), /^🆕 New session: \d+ message\(s\) forgotten\.$/);
});
