import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sessionOnLoopback } from "../../../test/agent/session-on-loopback.ts";
import { readEntries } from "./read-entries.ts";

const write = (path: string, text: string) => ({
  reasoning: "So be it.",
  text: "Writing.",
  calls: [{ name: "file_write", input: { path, content: text } }],
});
const toolcrib = { dialect: "toolcrib" } as const;

describe("a resumed session", () => {
  it("continues under its id, with its messages, usage and settings", { tags: "slow" }, async () => {
    const loopback = await sessionOnLoopback(
      [write("a.txt", "one\n"), { text: "First." }, write("b.txt", "two\n"), { text: "Second." }],
      { ...toolcrib, reasoning: "low" },
    );
    const first = loopback.session;
    await first.run("make a.txt").result;
    await first.use({ reasoning: "high" });
    await first.close();
    const second = await loopback.again({ resume: first.id, reasoning: undefined, model: undefined });
    const summary = ({
      id,
      messages,
      turns,
      usage,
      cost,
      system,
      dialect,
      reasoning,
      model,
    }: typeof first) => [id, messages, turns, usage, cost, system, dialect, reasoning, model.id];
    expect(summary(second)).toEqual(summary(first));
    await second.run("make b.txt").result;
    expect([second.turns, second.messages.length]).toEqual([2, 8]);
    expect(await loopback.close()).toEqual([]);
  });

  it("can undo changes from before it was closed", async () => {
    const loopback = await sessionOnLoopback([write("a.txt", "one\n"), { text: "Done." }], toolcrib);
    await loopback.session.run("make a.txt").result;
    await loopback.session.close();
    const session = await loopback.again({ resume: loopback.session.id });
    const undone = await session.toolcrib.call("journal.undo", {});
    expect([undone.isError, existsSync(join(loopback.workspace, "a.txt"))]).toEqual([false, false]);
    await loopback.close();
  });

  it("is refused while it is open, also in this process, and can still be forked", async () => {
    const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>();
    const loopback = await sessionOnLoopback(async (request) => {
      await mayAnswer;
      return { text: `You said: ${request.messages.at(-1)?.text}` };
    }, toolcrib);
    const { id } = loopback.session;
    const turn = loopback.session.run("one");
    await expect(loopback.again({ fork: { session: id } })).rejects.toMatchObject({
      code: "unavailable",
      message: `No turn of session ${id} has ended yet`,
    });
    letAnswer();
    await turn.result;
    await expect(loopback.again({ resume: id })).rejects.toMatchObject({
      code: "unavailable",
      message: `The session ${id} is open in process ${process.pid}`,
      hint: `Close it there first, or continue in a copy: toolcrib sessions fork ${id}`,
    });
    const fork = await loopback.again({ fork: { session: id } });
    expect([fork.id === id, fork.messages]).toEqual([false, loopback.session.messages]);
    await loopback.session.close();
    const resumed = await loopback.again({ resume: id });
    expect(resumed.id).toBe(id);
    expect(await loopback.close()).toEqual([]);
  });

  it("must exist", async () => {
    const loopback = await sessionOnLoopback([], toolcrib);
    await expect(loopback.again({ resume: "session_x" })).rejects.toMatchObject({
      code: "not-found",
      message: "This workspace has no session session_x",
    });
    await expect(loopback.again({ resume: "a\u001b[2J" })).rejects.toMatchObject({ code: "not-found" });
    await loopback.close();
  });
});

describe("a forked session", () => {
  it("has the messages up to the end of a turn, under its own id", async () => {
    const loopback = await sessionOnLoopback(
      [write("a.txt", "one\n"), { text: "First." }, { text: "Second." }, { text: "Other." }],
      toolcrib,
    );
    const parent = loopback.session;
    await parent.run("make a.txt").result;
    await parent.run("and now?").result;
    loopback.server.forget();
    const fork = await loopback.again({ fork: { session: parent.id, turn: 1 } });
    expect(fork.messages).toEqual(parent.messages.slice(0, 4));
    expect([fork.turns, fork.system, fork.usage.input]).toEqual([1, parent.system, 0]);
    const { turn, text } = await fork.run("something else").result;
    expect([turn, text, fork.messages.length, parent.messages.length]).toEqual([2, "Other.", 6, 6]);
    const { conversations } = fork.toolcrib;
    const [start] = readEntries(conversations.entries(fork.id), fork.id);
    expect(start).toMatchObject({ kind: "start", parent: { session: parent.id, turn: 1 } });
    // The calls before the fork belong to the parent.
    expect((await fork.toolcrib.call("journal.undo", {})).isError).toBe(true);
    expect(readFileSync(join(loopback.workspace, "a.txt"), "utf8")).toBe("one\n");
    expect(await loopback.close()).toEqual([]);
  });

  it("lists the turns when the turn does not exist", async () => {
    const loopback = await sessionOnLoopback([{ text: "First." }], toolcrib);
    await loopback.session.run("one").result;
    await expect(loopback.again({ fork: { session: loopback.session.id, turn: 2 } })).rejects.toMatchObject({
      code: "not-found",
      message: `Session ${loopback.session.id} has no turn 2`,
      hint: "Use a turn from 1 to 1.",
    });
    await loopback.close();
  });

  it("can start before a damaged entry", async () => {
    const loopback = await sessionOnLoopback([{ text: "First." }, { text: "Second." }], toolcrib);
    const { session } = loopback;
    await session.run("one").result;
    session.toolcrib.conversations.append(session.id, [{ kind: "user", turn: 2 }]);
    await session.close();
    const entry = `Entry 5 of session ${session.id} is damaged`;
    await expect(loopback.again({ resume: session.id })).rejects.toMatchObject({
      code: "unavailable",
      message: entry,
      hint: `Continue from its readable part: toolcrib sessions fork ${session.id} --turn 1`,
    });
    await expect(loopback.again({ fork: { session: session.id } })).rejects.toMatchObject({ message: entry });
    const fork = await loopback.again({ fork: { session: session.id, turn: 1 } });
    expect(fork.messages).toEqual(session.messages);
    await loopback.close();
  });
});
