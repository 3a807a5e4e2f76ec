import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { sessionOnLoopback } from "../../test/agent/session-on-loopback.ts";
import { startProvider } from "../../test/providers/start-provider.ts";
import { bundledProgram } from "../../test/support/bundled-program.ts";
import { checkHistory } from "../../test/support/check-history.ts";
import { noteTool } from "../../test/support/session-records/note-tool.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { Model } from "../models/model.ts";
import { createSession } from "./create-session.ts";

const toolcrib = { dialect: "toolcrib" } as const;
const readsA = { calls: [{ name: "file_read", input: { path: "a.txt" } }] };
const files = { "a.txt": "hello\n" };

const killedSession = await bundledProgram(
  new URL("../../test/support/session-records/killed-session.ts", import.meta.url),
);

describe("session.continue", () => {
  it.each(["round-start", "text-delta", "within one", "told noted one", "turn-end"])(
    "continues a turn that was killed at `%s`, without a new message",
    { tags: "slow" },
    async (moment) => {
      await using folder = temporaryFolder();
      const workspace = join(folder.path, "workspace");
      for (const path of [workspace, join(folder.path, "config")]) mkdirSync(path);
      const server = await startProvider("openai", ({ messages }) =>
        messages.some(({ role }) => role === "tool")
          ? { text: "Noted." }
          : { text: "I note.", calls: [{ name: "note", input: { text: "one" } }] },
      );
      const options = {
        ...{ model: server.model, models: server.settings, dialect: "toolcrib", workspace },
        ...{ stateDirectory: join(folder.path, "state"), configDirectory: join(folder.path, "config") },
      };
      const child = spawn(process.execPath, [killedSession, JSON.stringify(options), moment, "note one"], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [id] = await Promise.all([text(child.stdout), once(child, "close")]);
      const session = await createSession({ ...options, resume: id, tools: [noteTool()] });
      // The process was killed after it had recorded the end of the turn.
      if (moment === "turn-end") expect(() => session.continue()).toThrow("nothing to continue");
      else
        expect(await session.continue().result).toMatchObject({ turn: 1, outcome: "completed", rounds: 2 });
      const { messages, turns } = session;
      await session.close();
      await server.close();
      const ofUser = messages.filter(({ role }) => role === "user");
      const notes = readFileSync(join(workspace, "notes"), "utf8");
      expect([turns, ofUser.length, notes, checkHistory(messages), server.breaches]).toEqual([
        ...[1, 1, "one\n", [], []],
      ]);
    },
  );

  it("completes a turn whose final reply was recorded, without a request", async () => {
    const loopback = await sessionOnLoopback([{ text: "Done." }], toolcrib);
    const { session, server } = loopback;
    // A kill after the final reply was recorded: everything but the end of the turn is.
    session.on(({ type }) => {
      if (type === "reply-end") void session.suspend(AbortSignal.abort());
    });
    await session.run("do it").result;
    await session.close();
    const again = await loopback.again({ resume: session.id });
    const stored = again.toolcrib.conversations.entries(session.id);
    expect([
      stored.map(({ entry }) => Object(entry).kind).at(-1),
      await again.continue().result,
    ]).toMatchObject(["reply", { outcome: "completed", text: "Done.", rounds: 1 }]);
    expect(server.requests.length).toBe(1);
    expect(await loopback.close()).toEqual([]);
  });

  it("continues a turn whose request failed, also after the session was resumed, and counts its rounds", async () => {
    const outage = { fault: { status: 503 } } as const;
    const loopback = await sessionOnLoopback([readsA, outage, outage, { text: "It says hello." }], {
      ...{ ...toolcrib, files, limits: { retries: 0 } },
    });
    const { session, again } = loopback;
    const failed = await session.run("What does a.txt say?").result;
    const failedAgain = await session.continue().result;
    await session.close();
    const resumed = await again({ resume: session.id });
    const completed = await resumed.continue().result;
    expect([failed, failedAgain, completed]).toMatchObject([
      { turn: 1, outcome: "failed", error: { code: "server" } },
      { turn: 1, outcome: "failed", error: { code: "server" } },
      { turn: 1, outcome: "completed", text: "It says hello.", rounds: 2, calls: 1 },
    ]);
    expect(resumed.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(() => resumed.continue()).toThrow("nothing to continue");
    expect(await loopback.close()).toEqual([]);
  });

  it("is refused in a new session, and after a turn that ended", async () => {
    const loopback = await sessionOnLoopback([{ text: "Hello." }], toolcrib);
    const { session } = loopback;
    expect(() => session.continue()).toThrow("nothing to continue");
    await session.run("hello").result;
    expect(() => session.continue()).toThrow("nothing to continue");
    await loopback.close();
  });

  it("keeps the limit of rounds of the whole turn", async () => {
    const loopback = await sessionOnLoopback([readsA, { fault: { status: 503 } }, readsA, readsA], {
      ...{ ...toolcrib, files, limits: { retries: 0, rounds: 3 } },
    });
    const { session } = loopback;
    await session.run("read").result;
    await session.close();
    const resumed = await loopback.again({ resume: session.id });
    expect(await resumed.continue().result).toMatchObject({ outcome: "limit", rounds: 3 });
    await loopback.close();
  });
});

describe("session.suspend", () => {
  it("ends after the round, and leaves the turn open", async () => {
    const loopback = await sessionOnLoopback([readsA, { text: "It says hello." }], { ...toolcrib, files });
    const { session, server } = loopback;
    session.on(({ type }) => {
      if (type === "tool-start") void session.suspend();
    });
    const result = await session.run("What does a.txt say?").result;
    await session.close();
    const resumed = await loopback.again({ resume: session.id });
    expect([result.outcome, server.requests.length]).toEqual(["aborted", 1]);
    expect(await resumed.continue().result).toMatchObject({ outcome: "completed", rounds: 2 });
    const texts = resumed.messages.map(({ role }) => role);
    expect(texts).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(await loopback.close()).toEqual([]);
  });

  it("ends a hanging reply at once when its signal aborts", async () => {
    const replies = [{ fault: "hang-during", text: "It says" }, { text: "It says hello." }] as const;
    const loopback = await sessionOnLoopback(replies, toolcrib);
    const { session } = loopback;
    session.on(({ type }) => {
      if (type === "text-delta") void session.suspend(AbortSignal.abort());
    });
    await session.run("What does a.txt say?").result;
    await session.close();
    const resumed = await loopback.again({ resume: session.id });
    expect(await resumed.continue().result).toMatchObject({ outcome: "completed", text: "It says hello." });
    expect(resumed.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(await loopback.close()).toEqual([]);
  });
});

describe("wrapModel", () => {
  it("wraps the models of the session, of `use` and of subagents, once each", { tags: "slow" }, async () => {
    const asked: string[] = [];
    const wrapModel = (model: Model): Model => ({
      ...model,
      stream: (request, signal) => {
        asked.push(model.id);
        return model.stream(request, signal);
      },
    });
    const spawns = {
      calls: [{ name: "agent_spawn", input: { task: "say hello", model: "gpt-5-mini", wait_ms: 60_000 } }],
    };
    const loopback = await sessionOnLoopback(
      [{ text: "One." }, { text: "Two." }, spawns, { text: "Hello." }, { text: "Three." }],
      { ...toolcrib, wrapModel, server: { models: ["gpt-5", "gpt-5-mini"] } },
    );
    const { session } = loopback;
    await session.run("one").result;
    await session.use({ model: session.model });
    await session.run("two").result;
    await session.use({ model: "openai/gpt-5-mini" });
    expect(await session.run("three").result).toMatchObject({ outcome: "completed", text: "Three." });
    const [large, small] = ["openai/gpt-5", "openai/gpt-5-mini"];
    expect(asked).toEqual([large, large, small, small, small]);
    await loopback.close();
  });
});
