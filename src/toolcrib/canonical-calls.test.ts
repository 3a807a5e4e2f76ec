import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { sessionOnLoopback } from "../../test/agent/session-on-loopback.ts";
import { clientFixture, resultOf } from "../../test/support/mcp/client-fixture.ts";
import { temporaryToolcrib } from "../../test/support/temporary-toolcrib.ts";
import { aiSdkTools } from "../adapters/ai-sdk.ts";
import { answerMessages } from "../adapters/anthropic.ts";
import { answerGemini } from "../adapters/google.ts";
import { answerChat, answerResponses } from "../adapters/openai.ts";
import { openToolLoop } from "../compat/agent-loop.ts";
import { type AnyTool, dialectNames, renameTool } from "./index.ts";

/** A tool of the program, which has the name of a canonical tool. */
const ownCommit: AnyTool = {
  name: "git.commit",
  description: "Commit.",
  risk: "read",
  input: z.strictObject({}),
  limits: { maxChars: 100, keep: "head" },
  accesses: () => [],
  run: async () => ({ data: null, text: "the program's own" }),
};

describe("a canonical name", () => {
  it.each(dialectNames)("takes the canonical arguments in the dialect %s", async (dialect) => {
    await using fixture = await temporaryToolcrib({ dialect });
    const written = await fixture.crib.call("file.write", { path: "a.txt", content: "one\n" });
    const read = await fixture.crib.call("file.read", { path: "a.txt" });
    const undone = await fixture.crib.call("journal.undo", {});
    expect([written.error, read.content, undone.error]).toEqual([null, "1 | one", null]);
  });

  it("means a tool of the program or the dialect that has this name", async () => {
    await using own = await temporaryToolcrib({ dialect: "claude-code", tools: [ownCommit] });
    expect((await own.crib.call("git.commit", {})).content).toBe("the program's own");
    const dialect = { name: "odd", tools: [renameTool("text.echo", { name: "git.commit" })] };
    await using fixture = await temporaryToolcrib({ dialect });
    expect((await fixture.crib.call("git.commit", { text: "echo" } as never)).content).toBe("echo");
  });

  it("stays within onlyTools and readOnly", async () => {
    await using narrow = await temporaryToolcrib({
      dialect: "claude-code",
      onlyTools: ["search.*", "Bash"],
    });
    await using reading = await temporaryToolcrib({ dialect: "claude-code", readOnly: true });
    const code = async ({ crib }: typeof narrow, name: string, input: object = {}) =>
      (await crib.call(name, input)).error?.code;
    const inner = { name: "file.write", arguments: { path: "a", content: "" } };
    expect([
      await code(narrow, "file.write", { path: "a", content: "" }),
      await code(narrow, "journal.undo"),
      await code(narrow, "tools.call", inner),
      await code(narrow, "shell.run", { command: "true", session: "main" }),
      await code(narrow, "search.glob", { pattern: "*", sort: "path" }),
      await code(reading, "file.write", { path: "a", content: "" }),
      await code(reading, "tools.call", inner),
      await code(reading, "git.status"),
    ]).toEqual([
      ...["not-found", "not-found", "not-found"],
      // Only `Bash` was named, so its canonical name takes its arguments.
      "invalid-input",
      ...[undefined, "denied", "denied", "not-found"],
    ]);
    expect((await reading.crib.call("git.status", {})).error?.details?.kind).toBe("no-repository");
  });

  it("is suggested when it is misspelt, and says that it needs agents", async () => {
    await using fixture = await temporaryToolcrib({ dialect: "claude-code" });
    const { crib } = fixture;
    expect((await crib.call("journal.undoo", {})).error?.hint).toBe('Did you mean "journal.undo"?');
    expect((await crib.call("agent.spawn", { task: "x" })).error?.code).toBe("unavailable");
  });
});

describe("a model that uses a canonical name", () => {
  const outside = ["git.commit", "journal.undo", "toString", "__proto__"];
  const unknown = /Unknown tool/;

  it("reaches only the tools of its dialect through the adapters", async () => {
    await using fixture = await temporaryToolcrib({ dialect: "claude-code", mode: "yolo" });
    const { crib } = fixture;
    const input = { message: "x" };
    const text = JSON.stringify(input);
    for (const name of outside) {
      const answers = [
        await answerMessages(crib, { content: [{ type: "tool_use", id: "1", name, input } as never] }),
        await answerGemini(crib, [{ id: "1", name, args: input }]),
        await answerResponses(crib, [
          { type: "function_call", call_id: "1", name, arguments: text } as never,
        ]),
        await answerChat(crib, {
          tool_calls: [{ id: "1", type: "function", function: { name, arguments: text } }],
        }),
      ];
      for (const answer of answers) expect(JSON.stringify(answer)).toMatch(unknown);
    }
    expect(Object.keys(await aiSdkTools(crib)).filter((name) => name.includes("."))).toEqual([]);
    expect(crib.log().map(({ outcome }) => outcome)).not.toContain("ok");
  });

  it("keeps the shape and the checks of its dialect's tool", async () => {
    await using fixture = await temporaryToolcrib({ dialect: "claude-code", mode: "yolo" });
    fixture.write("a.txt", "one\n");
    const call = (input: object) =>
      answerMessages(fixture.crib, {
        content: [{ type: "tool_use", id: "1", name: "shell.run", input } as never],
      });
    expect(await call({ command: "true", dangerouslyDisableSandbox: true })).toMatchObject([
      { is_error: true },
    ]);
    expect(await call({ command: "true", session: "main" })).toMatchObject([{ is_error: true }]);
  });

  it("reaches only them over MCP, in the agent and in a drop-in loop", async () => {
    await using served = await clientFixture({ dialect: "claude-code", mode: "yolo" });
    const over = served.client.callTool({ name: "journal.undo", arguments: {} }).then(resultOf);
    await expect(over).rejects.toThrow(unknown);

    const calls = outside.map((name) => ({ name, input: {} }));
    const held = await sessionOnLoopback([{ calls }, { text: "Done." }], { dialect: "claude-code" });
    await held.session.run("Go.").result;
    const answers = held.session.messages.flatMap((one) => (one.role === "tool" ? one.answers : []));
    await held.close();
    expect(answers.map(({ content }) => unknown.test(content))).toEqual(outside.map(() => true));

    await using fixture = await temporaryToolcrib();
    await using loop = await openToolLoop({ workspace: fixture.at(".") });
    expect(await loop.execute("journal.undo", {})).toMatch(unknown);
  });
});

describe("undo, redo, diff and log", () => {
  it.each(["claude-code", "codex", "toolcrib"])(
    "are typed methods in the dialect %s",
    { tags: "slow" },
    async (dialect) => {
      await using fixture = await temporaryToolcrib({ dialect });
      const { crib } = fixture;
      fixture.write("a.txt", "one\n");
      const { callId } = await crib.call("file.write", { path: "a.txt", content: "two\n" });
      const { data: changed } = await crib.diff();
      expect(changed?.files.map(({ path, diff }) => [path, diff.includes("+two")])).toEqual([
        ["a.txt", true],
      ]);
      const planned = await crib.undo({ call: callId, dry_run: true });
      expect([planned.data?.calls, fixture.read("a.txt")]).toEqual([[callId], "two\n"]);
      const { data: undone } = await crib.undo();
      expect([undone?.calls, fixture.read("a.txt")]).toEqual([[callId], "one\n"]);
      const redone = await crib.redo();
      expect([redone.error, fixture.read("a.txt")]).toEqual([null, "two\n"]);
      expect(crib.log({ limit: 2 }).map(({ tool, outcome }) => [tool, outcome])).toEqual([
        ["journal.undo", "ok"],
        ["journal.undo", "ok"],
      ]);
    },
  );

  it("follow the rules, the mode, readOnly and closing like every call", async () => {
    await using denied = await temporaryToolcrib({ dialect: "codex", rules: ["deny use journal.undo"] });
    await using safe = await temporaryToolcrib({ dialect: "codex", mode: "safe" });
    await using reading = await temporaryToolcrib({ dialect: "codex", readOnly: true });
    await using narrow = await temporaryToolcrib({ dialect: "codex", onlyTools: ["update_plan"] });
    const closed = await temporaryToolcrib();
    await closed.crib.close();
    const codes = [denied, safe, reading, closed].map(async ({ crib }) => (await crib.undo()).error?.code);
    expect(await Promise.all(codes)).toEqual(["denied", "needs-approval", "denied", "unavailable"]);
    expect([(await denied.crib.undo()).data, (await reading.crib.diff()).error]).toEqual([null, null]);
    expect((await narrow.crib.undo()).error?.message).toContain("nothing to undo");
    await closed[Symbol.asyncDispose]();
  });
});
