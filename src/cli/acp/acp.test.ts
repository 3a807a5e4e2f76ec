import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type ContentBlock,
  type McpServer,
  methods,
  type RequestError,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ScriptedReply } from "../../../test/providers/provider-server.ts";
import { type AcpClient, acpClient, textOf } from "../../../test/support/acp-client.ts";
import { type CliWithModel, cliWithModel } from "../../../test/support/cli-with-model.ts";
import { type CliWorkspace, cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { isAlive } from "../../../test/support/is-alive.ts";
import { slashCommands } from "./slash-commands.ts";

const { session } = methods.agent;

type Answer = string | undefined | Promise<never>;

/** Tests without options of their own share one process, in which each has a session in its own workspace. */
const shared = {
  fixture: undefined as unknown as CliWithModel,
  editor: undefined as unknown as AcpClient,
  replies: [] as ScriptedReply[],
  answer: (): Answer => "once",
};
beforeAll(async () => {
  shared.fixture = await cliWithModel(() => shared.replies.shift()!);
  shared.editor = await acpClient(shared.fixture, {
    words: ["--rule", "ask run touch **"],
    answer: () => shared.answer(),
  });
});
afterAll(async () => {
  await shared.editor?.[Symbol.asyncDispose]();
  await shared.fixture?.[Symbol.asyncDispose]();
});

function inSharedProcess(replies: readonly ScriptedReply[], answer = (): Answer => "once") {
  const { editor, fixture } = shared;
  shared.replies = [...replies];
  shared.answer = answer;
  editor.forget();
  const { requests } = fixture.server;
  const earlier = requests.length;
  return {
    ...cliWorkspace(),
    editor,
    server: {
      get requests() {
        return requests.slice(earlier);
      },
    },
  };
}

it("streams a turn: reasoning, plan, diffs, commands, approvals, usage", { tags: "slow" }, async () => {
  const plan = (first: string) => [
    { step: "edit", status: first },
    { step: "run", status: first === "completed" ? "in_progress" : "pending" },
  ];
  const command = "echo made | tee b.txt; echo '```' said";
  await using fixture = await cliWithModel([
    {
      reasoning: "Think first.",
      text: "I plan.",
      calls: [call("update_plan", { plan: plan("in_progress") })],
    },
    { calls: [call("apply_patch", patchOf("a.txt", "one", "two"))] },
    { calls: [call("update_plan", { plan: plan("completed") }), call("exec_command", { cmd: command })] },
    { text: "Done." },
  ]);
  fixture.write("a.txt", "zero\none\n");
  await using editor = await acpClient(fixture, {
    words: ["--reasoning", "high", "--rule", "ask run tee **"],
  });
  const { updates, permissions } = editor;
  const { sessionId, modes } = await open(editor, fixture);
  const end = await editor.prompt(sessionId, "do it");
  const at = (name: string) => join(fixture.workspace, name);
  expect([end, modes?.currentModeId, modes?.availableModes.map(({ id }) => id)]).toEqual([
    { stopReason: "end_turn" },
    "cautious",
    ["safe", "cautious", "paranoid", "yolo", "plan"],
  ]);
  expect([textOf(updates, "agent_thought_chunk"), textOf(updates, "agent_message_chunk")]).toEqual([
    "Think first.",
    "I plan.Done.",
  ]);
  expect(updates.filter(({ sessionUpdate }) => sessionUpdate === "plan")).toEqual([
    planOf(["edit", "in_progress"], ["run", "pending"]),
    planOf(["edit", "completed"], ["run", "in_progress"]),
  ]);
  const [started, ended] = callUpdates(updates, "call_2_1");
  expect(started).toMatchObject({
    title: "edit.patch a.txt",
    kind: "edit",
    locations: [{ path: at("a.txt") }],
  });
  expect(ended).toMatchObject({
    status: "completed",
    content: [{ type: "diff", path: at("a.txt"), oldText: "zero\none\n", newText: "zero\ntwo\n" }],
    locations: [{ path: at("a.txt"), line: 1 }],
  });
  const ofCommand = callUpdates(updates, "call_3_2");
  expect(ofCommand[0]).toMatchObject({ kind: "execute", status: "in_progress" });
  expect(ofCommand.at(-1)).toMatchObject({
    status: "completed",
    content: [
      { type: "diff", path: at("b.txt"), oldText: null, newText: "made\n" },
      { type: "content", content: { text: expect.stringMatching(/^````console\n.*``` said\n````$/s) } },
    ],
  });
  expect(permissions).toMatchObject([
    {
      sessionId,
      toolCall: { toolCallId: "call_3_2", kind: "execute", title: expect.stringContaining(command) },
      options: [
        { optionId: "once", kind: "allow_once" },
        { optionId: "session", kind: "allow_always", name: expect.stringContaining("exactly: tee b.txt") },
        { optionId: "always", kind: "allow_always", name: expect.stringContaining("exactly: tee b.txt") },
        { optionId: "always 2", kind: "allow_always", name: expect.stringMatching(/tee with any/) },
        { optionId: "no", kind: "reject_once" },
      ],
    },
  ]);
  expect(updates.findLast(({ sessionUpdate }) => sessionUpdate === "usage_update")).toMatchObject({
    used: expect.any(Number),
    size: expect.any(Number),
    cost: { currency: "USD" },
  });
  expect([await editor.leave(), fixture.server.breaches]).toEqual([{ exit: 0, log: "" }, []]);
});

it("shows the calls of a script as a tree below it", { tags: "slow" }, async () => {
  const script = 'await tools.file.write({ path: "b.txt", content: "made" }); return "made it"';
  await using fixture = await cliWithModel([
    { calls: [call("tools_script", { script })] },
    { text: "Done." },
  ]);
  await using editor = await acpClient(fixture, { words: ["--dialect", "toolcrib"] });
  const { sessionId } = await open(editor, fixture);
  await editor.prompt(sessionId, "do it");
  const text = (update: unknown) => JSON.stringify(update);
  const ended = callUpdates(editor.updates, "call_1_1").filter((update) =>
    text(update).includes("completed"),
  );
  expect(ended.length).toBeGreaterThan(0);
  for (const update of ended) {
    expect(text(update)).toContain("└ file.write b.txt");
    expect(text(update)).toContain("made it");
  }
});

it("lists, loads and resumes sessions, also in another process", { tags: "slow" }, async () => {
  await using fixture = await cliWithModel(({ messages }) => {
    const last = messages.at(-1)!;
    if (last.text === "first")
      return { text: "Reading.", calls: [call("exec_command", { cmd: "cat a.txt" })] };
    return { text: `Heard ${messages.filter(({ role }) => role === "user").length}.` };
  });
  fixture.write("a.txt", "content of a\n");
  const before = await acpClient(fixture);
  const { sessionId } = await open(before, fixture);
  await before.prompt(sessionId, "first");
  await before.leave();
  await using editor = await acpClient(fixture);
  const { agent, updates } = editor;
  const where = { cwd: fixture.workspace, mcpServers: [] };
  const { sessions, nextCursor } = await agent.request(session.list, { cwd: fixture.workspace });
  expect([sessions, nextCursor]).toEqual([
    [{ sessionId, cwd: fixture.workspace, title: "first", updatedAt: expect.stringMatching(/^20.*Z$/) }],
    undefined,
  ]);
  await agent.request(session.load, { ...where, sessionId });
  expect(updates.filter(({ sessionUpdate }) => sessionUpdate !== "available_commands_update")).toMatchObject([
    { sessionUpdate: "user_message_chunk", content: { text: "first" } },
    { sessionUpdate: "agent_message_chunk", content: { text: "Reading." } },
    { sessionUpdate: "tool_call", kind: "execute", rawInput: { cmd: "cat a.txt" } },
    {
      sessionUpdate: "tool_call_update",
      status: "completed",
      content: [{ content: { text: expect.stringContaining("content of a") } }],
    },
    { sessionUpdate: "agent_message_chunk", content: { text: "Heard 1." } },
  ]);
  await editor.prompt(sessionId, "second");
  await agent.request(session.close, { sessionId });
  expect(await failureOf(editor.prompt(sessionId, "closed"))).toMatchObject({
    code: -32002,
    data: { sessionId },
  });
  const count = updates.length;
  await agent.request(session.resume, { ...where, sessionId });
  await editor.prompt(sessionId, "third");
  expect(textOf(updates.slice(count), "agent_message_chunk")).toBe("Heard 3.");
  const unknown = { ...where, sessionId: "session_0unknown" };
  expect(await failureOf(agent.request(session.load, unknown))).toMatchObject({ code: -32002 });
});

it("asks before it undoes what was committed since", { tags: "slow" }, async () => {
  const answers = ["no", "yes"];
  await using fixture = inSharedProcess(
    [{ calls: [call("apply_patch", patchOf("a.txt", "one", "two"))] }, { text: "Changed." }],
    () => answers.shift(),
  );
  fixture.write("a.txt", "one\n");
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=u", "-c", "user.email=u@x", ...words], { cwd: fixture.workspace });
  git("init", "-q");
  const { editor } = fixture;
  const { sessionId } = await open(editor, fixture);
  await editor.prompt(sessionId, "change a.txt");
  git("add", "-A");
  git("commit", "-qm", "Changed");
  await editor.prompt(sessionId, "/undo");
  const kept = fixture.read("a.txt");
  await editor.prompt(sessionId, "/undo");
  expect([kept, fixture.read("a.txt"), editor.permissions.length]).toEqual(["two\n", "one\n", 2]);
  expect(editor.permissions[0]).toMatchObject({
    toolCall: { title: expect.stringMatching(/^Commit \w{7} "Changed" contains these changes/) },
    options: [{ name: "Undo anyway" }, { name: "Cancel" }],
  });
});

it("runs slash commands, and changes modes", { tags: "slow" }, async () => {
  await using fixture = inSharedProcess([
    { calls: [call("apply_patch", patchOf("a.txt", "one", "two"))] },
    { text: "Changed." },
    { calls: [call("apply_patch", patchOf("a.txt", "two", "three"))] },
    { text: "Denied." },
    { text: "Seen." },
  ]);
  fixture.write("a.txt", "one\n");
  fixture.write(".claude/commands/change-it.md", "---\nargument-hint: FILE\n---\nChange $1.");
  fixture.write(".claude/commands/undo.md", "Never reached.");
  fixture.write(".agents/skills/release/SKILL.md", "---\ndescription: Release it\n---\nRun make.");
  const { editor } = fixture;
  const { agent, updates } = editor;
  const { sessionId } = await open(editor, fixture);
  const commands = await editor.until(({ sessionUpdate }) => sessionUpdate === "available_commands_update");
  expect(commands).toMatchObject({
    availableCommands: [
      { name: "undo", description: expect.any(String), input: { hint: expect.any(String) } },
      ...slashCommands.slice(1).map(({ name }) => ({ name })),
      { name: "change-it", description: "Change $1.", input: { hint: "FILE" } },
      { name: "release", description: "Release it" },
    ],
  });
  await editor.prompt(sessionId, "/change-it a.txt");
  expect(fixture.server.requests[0]!.messages.at(-1)!.text).toBe("Change a.txt.");
  const replyTo = async (line: string) => {
    const from = updates.length;
    await editor.prompt(sessionId, line);
    return textOf(updates.slice(from), "agent_message_chunk");
  };
  expect(await replyTo("/diff")).toContain(
    "```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@ hunk 1\n-one\n+two\n",
  );
  expect([await replyTo("/undo"), fixture.read("a.txt")]).toEqual([
    expect.stringContaining("a.txt"),
    "one\n",
  ]);
  expect([await replyTo("/redo"), fixture.read("a.txt")]).toEqual([
    expect.stringContaining("a.txt"),
    "two\n",
  ]);
  expect(await replyTo("/undo to nowhere")).toContain("nowhere");
  expect(await replyTo("/checkpoint here")).toContain("Set checkpoint here.");
  expect(await replyTo("/mode safe")).toBe("The mode is safe.");
  expect(updates.findLast(({ sessionUpdate }) => sessionUpdate === "current_mode_update")).toMatchObject({
    currentModeId: "safe",
  });
  await agent.request(session.setMode, { sessionId, modeId: "yolo" });
  expect(await replyTo("/mode")).toBe("The mode is yolo.");
  await agent.request(session.setMode, { sessionId, modeId: "plan" });
  await editor.prompt(sessionId, "change it in plan mode");
  expect(fixture.read("a.txt")).toBe("two\n");
  expect(await replyTo("/undo")).toContain("a.txt");
  await agent.request(session.setMode, { sessionId, modeId: "safe" });
  expect(await failureOf(agent.request(session.setMode, { sessionId, modeId: "root" }))).toMatchObject({
    code: -32602,
    message: "Unknown mode: root.\nUse one of: safe, cautious, paranoid, yolo, plan",
  });
  expect(await replyTo("/etc/hosts is a file")).toBe("Seen.");
  expect(fixture.server.requests.at(-1)?.messages.at(-1)?.text).toMatch(
    /^\[The user undid some of your changes with \/undo\..*\]\n\n\/etc\/hosts is a file$/s,
  );
});

it("passes on images, attached files and links, and reads no file itself", async () => {
  await using fixture = inSharedProcess([{ text: "Seen." }]);
  const { editor } = fixture;
  const { agent } = editor;
  const { sessionId } = await open(editor, fixture);
  const uri = (path: string) => String(pathToFileURL(path));
  const link = (path: string) => ({ type: "resource_link" as const, name: "x", uri: uri(path) });
  const send = (...prompt: ContentBlock[]) => agent.request(session.prompt, { sessionId, prompt });
  const pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  await send(
    { type: "text", text: "Compare " },
    link(join(fixture.workspace, "src/a b.ts")),
    { type: "text", text: " with " },
    link("/etc/passwd"),
    { type: "resource", resource: { uri: uri(join(fixture.workspace, "b.ts")), text: "```\nunsaved" } },
    { type: "image", data: pixel, mimeType: "image/png" },
  );
  const { text } = fixture.server.requests[0]!.messages.at(-1)!;
  expect(text).toContain(
    "Compare @src/a b.ts with @file:///etc/passwd@b.ts\n\nAttached by the user: @b.ts\n````\n```\nunsaved\n````",
  );
  expect(JSON.stringify(fixture.server.requests[0]!.body)).toContain(pixel);
  const refused = [
    await failureOf(send({ type: "image", data: "<svg/>", mimeType: "image/svg+xml" })),
    await failureOf(send({ type: "image", data: "not base64", mimeType: "image/png" })),
    await failureOf(send({ type: "audio", data: pixel, mimeType: "audio/wav" })),
    await failureOf(send({ type: "text", text: " " })),
    await failureOf(send({ type: "text", text: "x".repeat(1_000_001) })),
  ];
  expect(refused.map(({ code, message }) => [code, message.slice(0, 60)])).toEqual([
    [-32602, "Invalid params: Images of type image/svg+xml are not support"],
    [-32602, "Invalid params: The data of an image is not valid base64."],
    [-32602, "Invalid params: Audio is not supported."],
    [-32602, "Invalid params: The prompt is empty."],
    [-32602, "Invalid params: The prompt has 1000001 characters; the limit"],
  ]);
  expect(fixture.server.requests.length).toBe(1);
});

it("offers the tools of the editor's MCP servers, under the user's rules", { tags: "slow" }, async () => {
  const everything = join(
    import.meta.dirname,
    "../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js",
  );
  await using fixture = await cliWithModel(
    [{ calls: [call("echo", { message: "from $" + "{SECRET_OF_THE_AGENT}" })] }, { text: "Echoed." }],
    { SECRET_OF_THE_AGENT: "hunter22" },
  );
  await using editor = await acpClient(fixture);
  const server = { command: process.execPath, args: [everything, "stdio"], env: [{ name: "A", value: "b" }] };
  const leaking = { ...server, env: [{ name: "A", value: "$" + "{SECRET_OF_THE_AGENT}" }] };
  const mcpServers: McpServer[] = [
    { name: "every", ...server },
    { name: "leaking", ...leaking },
  ];
  const { sessionId } = await editor.agent.request(session.new, { cwd: fixture.workspace, mcpServers });
  await editor.prompt(sessionId, "echo");
  expect(fixture.server.requests[0]!.tools).toContain("echo");
  expect(editor.permissions).toMatchObject([{ toolCall: { kind: "other" }, options: { length: 4 } }]);
  expect(callUpdates(editor.updates, "call_1_1").at(-1)).toMatchObject({ status: "completed" });
  const { log } = await editor.leave();
  expect(log).toContain(
    "The MCP server leaking is skipped: the environment variable SECRET_OF_THE_AGENT is not set.",
  );
  expect(log).not.toContain("hunter22");
});

describe("approvals in an editor", () => {
  it("run a call only after an answer that was offered", { tags: "slow" }, async () => {
    const answers = ["no", "anything", undefined, "session"];
    await using fixture = inSharedProcess(
      [
        ...["1", "2", "3", "4", "4"].map((name) => ({
          calls: [call("exec_command", { cmd: `touch made${name}` })],
        })),
        { text: "Done." },
      ],
      () => answers.shift(),
    );
    const { editor } = fixture;
    const { sessionId } = await open(editor, fixture);
    await editor.prompt(sessionId, "touch");
    const made = ["1", "2", "3", "4"].filter((name) => existsSync(join(fixture.workspace, `made${name}`)));
    // The rule of the fourth answer covers the fifth call.
    expect([made, editor.permissions.length]).toEqual([["4"], 4]);
  });

  it("show the diff, and end with a cancelled turn", async () => {
    const asked = Promise.withResolvers<void>();
    await using fixture = inSharedProcess(
      [{ calls: [call("apply_patch", patchOf("a.txt", "one", "two"))] }, { text: "Never asked for." }],
      () => {
        asked.resolve();
        return new Promise(() => {});
      },
    );
    fixture.write("a.txt", "one\n");
    const { editor } = fixture;
    const { sessionId } = await open(editor, fixture);
    await editor.agent.request(session.setMode, { sessionId, modeId: "safe" });
    const turn = editor.prompt(sessionId, "change it");
    await asked.promise;
    await editor.agent.notify(session.cancel, { sessionId });
    expect([await turn, fixture.read("a.txt"), fixture.server.requests.length]).toEqual([
      { stopReason: "cancelled" },
      "one\n",
      1,
    ]);
    expect(editor.permissions[0]?.toolCall.content).toMatchObject([
      { type: "content", content: { text: expect.stringContaining("Why: mode safe") } },
      { type: "diff", oldText: "one\n", newText: "two\n" },
    ]);
  });
});

describe("a hostile or broken client", () => {
  it("leaves nothing running when it dies, and cancels a command with its output shown so far", {
    tags: "slow",
  }, async () => {
    const loop = "echo $$ > pid; echo started; exec sleep 300";
    await using fixture = await cliWithModel([
      { calls: [call("exec_command", { cmd: loop, yield_time_ms: 30_000 })] },
      { calls: [call("exec_command", { cmd: loop, yield_time_ms: 30_000 })] },
    ]);
    const editor = await acpClient(fixture, { words: ["--mode", "yolo", "--sandbox", "none"] });
    const { sessionId } = await open(editor, fixture);
    const turn = editor.prompt(sessionId, "loop");
    const shown = await editor.until((update) => JSON.stringify(update).includes("console\\nstarted"));
    expect(shown).toMatchObject({ sessionUpdate: "tool_call_update", status: "in_progress" });
    const second = await failureOf(editor.prompt(sessionId, "meanwhile"));
    expect([second.code, second.message]).toEqual([
      -32600,
      "Invalid request: A turn is running in this session. Wait for its end, or cancel it.",
    ]);
    await editor.agent.notify(session.cancel, { sessionId });
    expect(await turn).toEqual({ stopReason: "cancelled" });
    const first = Number(fixture.read("pid"));
    await vi.waitFor(() => expect(isAlive(first)).toBe(false), { timeout: 60_000 });
    void editor.prompt(sessionId, "again").catch(() => {});
    const running = await vi.waitFor(
      () => {
        const pid = Number(fixture.read("pid"));
        if (pid === first || pid === 0) throw new Error("not yet");
        return pid;
      },
      { timeout: 20_000, interval: 20 },
    );
    const { exit } = await editor.leave();
    expect([exit, isAlive(running), isAlive(editor.pid)]).toEqual([0, false, false]);
  });

  it("gets plain errors for bad folders, sessions and messages", { tags: "slow" }, async () => {
    await using fixture = await cliWithModel([{ text: "Still here." }]);
    mkdirSync(join(fixture.workspace, "project"));
    symlinkSync("/", join(fixture.workspace, "out"));
    await using editor = await acpClient(fixture, {
      words: ["--workspace", join(fixture.workspace, "project")],
    });
    const { agent } = editor;
    const opening = (cwd: string, more: object = {}) =>
      failureOf(agent.request(session.new, { cwd, mcpServers: [], ...more }));
    const folders = [
      await opening("project"),
      await opening(join(fixture.workspace, "missing")),
      await opening(fixture.workspace),
      await opening(join(fixture.workspace, "project/../out")),
      await opening(join(fixture.workspace, "project"), { additionalDirectories: ["/"] }),
    ];
    expect(folders.map(({ message }) => message.split("\n", 1)[0])).toEqual([
      "Invalid params: `cwd` must be an absolute path.",
      expect.stringMatching(/^The workspace .*missing cannot be opened: /),
      expect.stringMatching(/lies outside .*project, to which --workspace limits this agent\.$/),
      expect.stringMatching(/lies outside .*project, to which --workspace limits this agent\.$/),
      "Invalid params: Additional directories are not supported.",
    ]);
    expect(await failureOf(editor.prompt("session_0x", "hi"))).toMatchObject({ code: -32002 });
    const { sessionId } = await open(editor, { workspace: join(fixture.workspace, "project") });
    const huge = await failureOf(editor.prompt(sessionId, "x".repeat(33 * 1024 * 1024)));
    expect(huge.message).toMatch(/^A message of \d+ bytes is too long/);
    await editor.prompt(sessionId, "hello");
    expect(textOf(editor.updates, "agent_message_chunk")).toBe("Still here.");
  });

  it("changes nothing in a home folder that it opens instead of a project", { tags: "slow" }, async () => {
    await using home = cliWorkspace();
    await using fixture = await cliWithModel(
      [{ calls: [call("apply_patch", patchOf("a.txt", "one", "two"))] }, { text: "No." }],
      { HOME: home.workspace },
    );
    home.write("a.txt", "one\n");
    await using editor = await acpClient(fixture, { words: ["--mode", "yolo"] });
    const { sessionId } = await open(editor, home);
    await editor.prompt(sessionId, "change it");
    expect(home.read("a.txt")).toBe("one\n");
    expect(JSON.stringify(callUpdates(editor.updates, "call_1_1").at(-1))).toContain("not a project folder");
  });
});

it("asks for a model when none is configured", { tags: "slow" }, async () => {
  await using fixture = cliWorkspace({ OLLAMA_HOST: "http://127.0.0.1:9" });
  await using editor = await acpClient(fixture);
  const where = { cwd: fixture.workspace, mcpServers: [] };
  const { code, message } = await failureOf(editor.agent.request(session.new, where));
  expect([code, message]).toEqual([-32000, expect.stringMatching(/^No model is configured\.\n.*API_KEY/s)]);
  const terminal = await editor.agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: { auth: { terminal: true } },
  });
  expect(terminal.authMethods).toMatchObject([{ type: "terminal", args: ["--setup"] }]);
  expect((await fixture.run("acp", "--setup")).exit).toBe(1);
});

function call(name: string, input: unknown) {
  return { name, input };
}

function patchOf(path: string, before: string, after: string): string {
  return `*** Begin Patch\n*** Update File: ${path}\n@@\n-${before}\n+${after}\n*** End Patch`;
}

function open({ agent }: AcpClient, { workspace }: Pick<CliWorkspace, "workspace">) {
  return agent.request(session.new, { cwd: workspace, mcpServers: [] });
}

function planOf(...steps: readonly (readonly [string, string])[]) {
  const entries = steps.map(([content, status]) => ({ content, priority: "medium", status }));
  return { sessionUpdate: "plan", entries };
}

function callUpdates(updates: readonly SessionUpdate[], id: string): readonly SessionUpdate[] {
  return updates.filter((update) => "toolCallId" in update && update.toolCallId === id);
}

async function failureOf(work: Promise<unknown>): Promise<RequestError> {
  return work.then(
    () => {
      throw new Error("It succeeded");
    },
    (error: RequestError) => error,
  );
}
