import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { type LoopbackOptions, sessionOnLoopback } from "../../test/agent/session-on-loopback.ts";
import type { ScriptedCall, ScriptedReply } from "../../test/providers/provider-server.ts";
import { checkHistory } from "../../test/support/check-history.ts";
import type { Tool } from "../toolcrib/index.ts";

/** The answers to the calls of one reply, after which the model is done. */
async function answered(
  calls: readonly ScriptedCall[],
  options: LoopbackOptions & { reply?: ScriptedReply } = {},
) {
  const { reply, ...more } = options;
  const held = await sessionOnLoopback([{ ...reply, calls }, { text: "Done." }], {
    dialect: "toolcrib",
    ...more,
  });
  const { outcome, error } = await held.session.run("Go.").result;
  expect({ outcome, error }).toEqual({ outcome: "completed", error: null });
  expect(checkHistory(held.session.messages)).toEqual([]);
  const answers = held.session.messages.flatMap((message) =>
    message.role === "tool" ? message.answers : [],
  );
  const ends = held.events.filter((event) => event.type === "tool-end");
  return { ...held, answers, ends };
}

const read = (path: string) => ({ name: "file_read", input: { path } });
const write = (path: string, content: string) => ({ name: "file_write", input: { path, content } });

it("makes calls in order, and only adjacent reads in parallel", async () => {
  const { answers, events, close } = await answered(
    [
      read("a.txt"),
      read("b.txt"),
      write("a.txt", "new\n"),
      read("a.txt"),
      write("a.txt", "newer\n"),
      read("a.txt"),
    ],
    { files: { "a.txt": "old\n", "b.txt": "other\n" } },
  );
  expect(answers.filter(({ name }) => name === "file_read").map(({ content }) => content)).toEqual([
    "1 | old",
    "1 | other",
    "1 | new",
    "1 | newer",
  ]);
  const steps = events.flatMap(({ type, ...event }) =>
    type.startsWith("tool-") && "id" in event ? [type] : [],
  );
  expect(steps).toEqual([
    ...["tool-start", "tool-start", "tool-end", "tool-end"],
    ...[
      "tool-start",
      "tool-end",
      "tool-start",
      "tool-end",
      "tool-start",
      "tool-end",
      "tool-start",
      "tool-end",
    ],
  ]);
  expect(await close()).toEqual([]);
});

it("reports invalid arguments to the model, and runs nothing", async () => {
  const { answers, ends, close } = await answered([
    { name: "file_write", input: {}, raw: '{"path": "b.txt", "content": "half' },
    { name: "file_write", input: {}, raw: '["b.txt"]' },
    { name: "file_write", input: { path: "b.txt" } },
    { name: "file_wirte", input: { path: "b.txt", content: "" } },
  ]);
  expect(answers.map(({ content, isError }) => [isError, content])).toEqual([
    [
      true,
      expect.stringMatching(
        /^The arguments are not valid JSON: .*\nThe call was not made\. Make it again with complete arguments\.$/,
      ),
    ],
    [true, expect.any(String)],
    [true, expect.stringContaining("content")],
    [true, expect.stringContaining("file_write")],
  ]);
  expect(ends[0]).toMatchObject({ callId: null, canonical: "file.write", error: null, isError: true });
  expect(await close()).toEqual([]);
});

it("gives every call a unique id, also when the provider repeats one", async () => {
  const calls = [read("a.txt"), read("b.txt")].map((call) => ({ ...call, id: "call_same" }));
  const { session, close } = await sessionOnLoopback(
    [{ calls, fault: "duplicate-ids" }, { calls: calls.slice(0, 1) }, { text: "Done." }],
    { dialect: "toolcrib", files: { "a.txt": "a\n", "b.txt": "b\n" } },
  );
  await session.run("Go.").result;
  const answers = session.messages.flatMap((message) => (message.role === "tool" ? message.answers : []));
  expect(answers.map(({ content }) => content)).toEqual(["1 | a", "1 | b", "1 | a"]);
  expect(new Set(answers.map(({ id }) => id)).size).toBe(3);
  expect(checkHistory(session.messages)).toEqual([]);
  expect(await close()).toEqual([]);
});

it("sends the whole output to listeners, and the part that fits to the model", async () => {
  const { answers, ends, events, close } = await answered([
    { name: "shell_run", input: { command: "seq 1 20000" } },
  ]);
  const [end] = ends;
  expect(end?.output).toContain("\n9999\n10000\n10001\n");
  expect(end?.shown).toBe(answers[0]?.content);
  expect(end!.shown.length).toBeLessThan(end!.output.length / 2);
  const streamed = events.flatMap((event) => (event.type === "tool-output" ? [event.text] : [])).join("");
  expect(streamed).toContain("\n20000\n");
  expect(await close()).toEqual([]);
});

it("passes on images from tool results", async () => {
  const picture: Tool<Record<string, never>, null> = {
    name: "picture",
    description: "Shows a picture.",
    risk: "read",
    input: z.strictObject({}),
    limits: { maxChars: 1_000, keep: "head" },
    accesses: () => [],
    run: async () => ({ data: null, text: "Here.", images: [{ mediaType: "image/png", base64: pixel }] }),
  };
  const { answers, close } = await answered([{ name: "picture", input: {} }], { tools: [picture] });
  expect(answers).toEqual([
    {
      id: expect.any(String),
      name: "picture",
      content: "Here.",
      isError: false,
      images: [{ mediaType: "image/png", base64: pixel }],
    },
  ]);
  expect(await close()).toEqual([]);
});

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("hooks", () => {
  it("may change arguments, refuse a call, and replace an answer", async () => {
    const seen: string[] = [];
    const { answers, workspace, close } = await answered(
      [write("b.txt", "from the model"), write("secret.txt", ""), read("missing.txt")],
      {
        hooks: {
          PreToolUse: ({ canonical, input }) => {
            const { path } = input as { path: string };
            seen.push(`${canonical} ${path}`);
            if (path === "secret.txt") return { block: "Not that one." };
            return path === "b.txt" ? { input: { path, content: "from the program" } } : undefined;
          },
          PostToolUse: async ({ name }, { isError }) =>
            isError ? `${name} failed, says the program` : undefined,
        },
      },
    );
    expect(seen).toEqual(["file.write b.txt", "file.write secret.txt", "file.read missing.txt"]);
    expect(answers.map(({ content, isError }) => [isError, content])).toEqual([
      [false, expect.stringContaining("b.txt")],
      [true, "Not that one."],
      [true, "file_read failed, says the program"],
    ]);
    expect(await readFile(join(workspace, "b.txt"), "utf8")).toBe("from the program");
    expect(await close()).toEqual([]);
  });

  it("fail the call when they return something invalid, and are ignored when they return null", async () => {
    const decisions = [null, 5, {}, { block: undefined }, { input: undefined }, { input: circular() }];
    const before = await answered(
      decisions.map((_, index) => read(`${index}.txt`)),
      {
        hooks: {
          PreToolUse: ({ input }) =>
            decisions[Number.parseInt((input as { path: string }).path, 10)] as never,
        },
      },
    );
    const notChecked = (why: string) => `The call was not made: the PreToolUse hook failed: ${why}`;
    expect(before.answers.map(({ content }) => content)).toEqual([
      expect.stringContaining("0.txt"),
      notChecked("it returned neither `input` nor `block`"),
      notChecked("it returned neither `input` nor `block`"),
      notChecked("it returned neither `input` nor `block`"),
      notChecked("its arguments are not JSON"),
      expect.stringContaining("circular structure"),
    ]);
    expect(await before.close()).toEqual([]);

    // Reads are made in parallel, so the hook knows them by their path.
    const returned = [null, 5, {}];
    const after = await answered(
      returned.map((_, index) => read(`${index}.txt`)),
      {
        files: Object.fromEntries(returned.map((_, index) => [`${index}.txt`, "hello\n"])),
        hooks: {
          PostToolUse: ({ input }) =>
            returned[Number.parseInt((input as { path: string }).path, 10)] as never,
        },
      },
    );
    expect(after.answers.map(({ content }) => content)).toEqual([
      "1 | hello",
      "1 | hello\n[The call was made; the PostToolUse hook failed: it returned number, not text]",
      "1 | hello\n[The call was made; the PostToolUse hook failed: it returned object, not text]",
    ]);
    expect(await after.close()).toEqual([]);
  });

  it("may throw a value without a message", async () => {
    const { answers, close } = await answered([read("a.txt")], {
      hooks: {
        PreToolUse: () => {
          throw Object.create(null);
        },
      },
    });
    expect(answers[0]?.content).toBe("The call was not made: the PreToolUse hook failed: unknown error");
    expect(await close()).toEqual([]);
  });

  it("fail the call they throw at, not the session", async () => {
    const { answers, close } = await answered([write("b.txt", ""), read("a.txt")], {
      files: { "a.txt": "hello\n" },
      hooks: {
        PreToolUse: ({ name }) => {
          if (name === "file_write") throw new Error("no connection");
          return undefined;
        },
        PostToolUse: async () => Promise.reject(new Error("disk full")),
      },
    });
    expect(answers.map(({ content, isError }) => [isError, content])).toEqual([
      [true, "The call was not made: the PreToolUse hook failed: no connection"],
      [true, "1 | hello\n[The call was made; the PostToolUse hook failed: disk full]"],
    ]);
    expect(await close()).toEqual([]);
  });
});

function circular(): object {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}

describe("approvals", () => {
  it("make the session wait for the user, and emit events", async () => {
    const { events, answers, close } = await answered([write("b.txt", ""), write("c.txt", "")], {
      mode: "paranoid",
      approve: async ({ input }) => {
        return (input as { path: string }).path === "b.txt"
          ? { allow: true }
          : { allow: false, message: "Not c." };
      },
    });
    expect(answers.map(({ isError }) => isError)).toEqual([false, true]);
    expect(answers[1]?.content).toContain("Not c.");
    const reported = events.flatMap((event): readonly unknown[] => {
      if (event.type === "state") return [event.state];
      return event.type === "approval-end" ? [event.allowed] : event.type === "approval" ? ["asked"] : [];
    });
    expect(reported).toEqual([
      "processing",
      ...["awaiting", "asked", true, "processing"],
      ...["awaiting", "asked", false, "processing"],
      "idle",
    ]);
    expect(await close()).toEqual([]);
  });

  it("are refused without an approver", async () => {
    const { answers, ends, close } = await answered([write("b.txt", "")], { mode: "paranoid" });
    expect(answers[0]?.isError).toBe(true);
    expect(ends[0]?.error?.code).toBe("needs-approval");
    expect(await close()).toEqual([]);
  });
});
