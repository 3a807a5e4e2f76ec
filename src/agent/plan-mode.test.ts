import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { done, familyOnLoopback, spawn, wait } from "../../test/agent/family-on-loopback.ts";
import { sessionOnLoopback } from "../../test/agent/session-on-loopback.ts";
import { emptySource } from "../../test/support/tool-source.ts";
import type { AnyTool } from "../toolcrib/index.ts";

const write = { name: "file_write", input: { path: "made.txt", content: "made\n" } };
const command = (text: string) => ({ name: "shell_run", input: { command: text } });
const everything = ["allow write **", "allow run **", "allow use *"];

/** The first message of a subagent in plan mode, before its task. */
const noticeOfChild =
  "[Plan mode is on: you can read and search, and calls that change anything are denied.]";

/** A tool of another server, with its risk as the hub gives it. */
const foreignTool = (name: string, risk: AnyTool["risk"], ran: string[]): AnyTool => ({
  name,
  canonical: `other__${name}`,
  server: "other",
  ownName: name,
  description: name,
  risk,
  input: z.looseObject({}),
  limits: { maxChars: 100, keep: "head" },
  accesses: () => [],
  run: async () => {
    ran.push(name);
    return { data: null, text: `${name} ran` };
  },
});

it("denies every change in plan mode, whatever rules, modes, subagents and other servers say", {
  tags: "slow",
}, async () => {
  const ran: string[] = [];
  const source = emptySource();
  source.put([foreignTool("store", "execute", ran), foreignTool("look", "read", ran)]);
  const calls = [
    write,
    { name: "edit_patch", input: { patch: "*** Begin Patch\n*** Add File: p\n+p\n*** End Patch" } },
    { name: "file_delete", input: { path: "a.txt" } },
    { name: "file_move", input: { from: "a.txt", to: "b.txt" } },
    command("echo made > made.txt"),
    command("$(echo touch) made.txt"),
    { name: "process_start", input: { command: "touch made.txt" } },
    { name: "tools_call", input: { name: "file_write", arguments: write.input } },
    { name: "tools_call", input: { name: "shell_run", arguments: { command: "touch made.txt" } } },
    { name: "git_commit", input: { message: "made" } },
    { name: "journal_undo", input: {} },
    { name: "store", input: {} },
  ];
  const reads = [
    { name: "file_read", input: { path: "a.txt" } },
    { name: "look", input: {} },
  ];
  const { session, run, workspace, server, events, close } = await familyOnLoopback(
    {
      user: [{ calls }, { calls: [...reads, spawn("child")] }, { calls: [wait("agent_1")] }, done],
      [noticeOfChild]: [{ calls: [write, command("touch made.txt")] }, { text: "Tried." }],
    },
    { files: { "a.txt": "hello\n" }, rules: everything, plan: true, sources: [source] },
  );
  await run();
  const ended = events.flatMap((event) => (event.type === "tool-end" ? [event] : []));
  const refused = ended.filter(({ error }) => error?.code === "denied");
  expect(refused.map(({ canonical }) => canonical).toSorted()).toEqual(
    [
      ...["file.write", "edit.patch", "file.delete", "file.move", "shell.run", "shell.run", "process.start"],
      ...["file.write", "shell.run", "git.commit", "journal.undo", "other__store"],
      ...["file.write", "shell.run"],
    ].toSorted(),
  );
  expect(refused.every(({ shown }) => shown.includes("Plan mode is on."))).toBe(true);
  expect([readdirSync(workspace), ran]).toEqual([["a.txt"], ["look"]]);
  const notices = server.requests.map(({ messages }) =>
    messages.some(({ text }) => /Plan mode is on/.test(text)),
  );
  expect([notices.every(Boolean), session.isPlanning]).toEqual([true, true]);
  expect(session.toolcrib.findCall(refused[0]!.callId!)?.decision).toMatchObject({ source: "plan mode" });
  expect(await close()).toEqual([]);
});

it("lets the model work after plan mode, and the user during it", async () => {
  const { session, server, workspace, close } = await sessionOnLoopback(
    [{ calls: [write] }, { text: "The plan." }, { calls: [write] }, { text: "Done." }],
    { dialect: "toolcrib", plan: true },
  );
  await session.run("Plan it.").result;
  const user = await session.toolcrib.addCaller({ dialect: "toolcrib", isUser: true });
  const byUser = await user.call("file.write", { path: "user.txt", content: "mine\n" });
  session.setPlanning(false);
  await session.run("Go.").result;
  expect([byUser.isError, readdirSync(workspace).toSorted(), session.isPlanning]).toEqual([
    false,
    ["made.txt", "user.txt"],
    false,
  ]);
  expect(server.requests[2]!.messages.slice(-2).map(({ text }) => text)).toEqual([
    "[Plan mode is off: you can change files again.]",
    "Go.",
  ]);
  expect(await close()).toEqual([]);
});

it("keeps plan mode when a session is resumed or forked, unless the caller ends it", async () => {
  const { session, again, workspace, close } = await sessionOnLoopback(
    [{ text: "The plan." }, { calls: [write] }, { text: "Made." }],
    { dialect: "toolcrib" },
  );
  session.setPlanning(true);
  await session.run("Plan it.").result;
  await session.close();
  const fork = await again({ fork: { session: session.id } });
  const resumed = await again({ resume: session.id });
  expect([fork.isPlanning, resumed.isPlanning]).toEqual([true, true]);
  await resumed.close();
  const freed = await again({ resume: session.id, plan: false });
  await freed.run("Go.").result;
  expect([freed.isPlanning, readFileSync(join(workspace, "made.txt"), "utf8")]).toEqual([false, "made\n"]);
  expect(await close()).toEqual([]);
});

it("refuses a call that waits for approval when plan mode begins", async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<{ allow: true }>();
  const approve = () => {
    asked.resolve();
    return answer.promise;
  };
  const { session, workspace, close } = await sessionOnLoopback([{ calls: [write] }, { text: "Refused." }], {
    dialect: "toolcrib",
    mode: "safe",
    approve,
  });
  const turn = session.run("Write it.");
  await asked.promise;
  session.setPlanning(true);
  answer.resolve({ allow: true });
  await turn.result;
  expect(readdirSync(workspace)).toEqual([]);
  expect(await close()).toEqual([]);
});
