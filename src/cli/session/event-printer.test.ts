import { describe, expect, it } from "vitest";
import type { AgentEvent, AgentEventBody } from "../../agent/event.ts";
import { EventPrinter } from "./event-printer.ts";
import { Screen } from "./screen.ts";

const usage = { input: 12_400, cached: 9_000, cacheWritten: 0, output: 800, reasoning: 0 };

/** The text on both outputs after these events, which take a second each. */
function show(
  happenings: readonly (AgentEventBody & { readonly agent?: string })[],
  { isWatched = false, verbose = false } = {},
): { readonly out: string; readonly err: string; readonly both: string } {
  let [out, err, both] = ["", "", ""];
  const printer = new EventPrinter(
    new Screen({
      print: (text) => {
        out += text;
        both += text;
      },
      remark: (text) => {
        err += text;
        both += text;
      },
      isWatched,
      canRedraw: false,
      columns: () => 80,
    }),
    { verbose },
  );
  for (const [index, happening] of happenings.entries())
    printer.show({ session: "session_1", at: 1000 * index, ...happening } as AgentEvent);
  printer.stop();
  return { out, err, both };
}

const say = (...pieces: readonly string[]): readonly AgentEventBody[] => [
  { type: "text-start", id: "t" },
  ...pieces.map((text) => ({ type: "text-delta" as const, id: "t", text })),
  { type: "text-end", id: "t", text: pieces.join("") },
];

const read = (
  changes: Partial<Extract<AgentEventBody, { type: "tool-end" }>> = {},
): readonly AgentEventBody[] => [
  { type: "tool-start", id: "c", name: "Read", canonical: "file.read", input: { file_path: "/w/a.ts" } },
  {
    ...{ type: "tool-end", id: "c", name: "Read", canonical: "file.read", output: "", shown: "" },
    ...{ isError: false, error: null, data: null, callId: "call_1", durationMs: 130 },
    ...changes,
  },
];

const start: AgentEventBody = {
  ...{ type: "session-start", model: "openai/gpt-5", dialect: "codex", workspace: "/w" },
  ...{ protocol: "native", isResumed: false },
};

const end = (outcome: "completed" | "aborted" | "limit" | "failed" = "completed"): AgentEventBody => ({
  ...{ type: "turn-end", turn: 1, outcome, text: "", error: null, rounds: 2, calls: 6, usage, cost: 0.04 },
});

const whole: readonly AgentEventBody[] = [
  start,
  { type: "turn-start", turn: 1 },
  { type: "round-start", round: 1 },
  ...say("I look ", "first."),
  { type: "reply-end", reason: "calls" },
  ...read({ data: { files: [{ path: "a.ts", lines: 12 }] } }),
  { type: "round-start", round: 2 },
  ...say("It is ", "fine."),
  { type: "reply-end", reason: "stop" },
  end(),
];

const innerCall = (at: number, error: "denied" | null = null): readonly AgentEventBody[] => {
  const base = { id: "c", callId: `call_${at}`, name: "file.read", canonical: "file.read" };
  const failure = error && { code: error, message: "A rule denies it", hint: null };
  return [
    { ...base, type: "inner-start", input: { path: `/w/${at}.txt` } },
    { ...base, type: "inner-end", isError: error !== null, error: failure, durationMs: 1 },
  ];
};

describe("a printed session", () => {
  it("prints only the answer to standard output, and the rest to standard error", () => {
    expect(show(whole)).toMatchObject({
      out: "It is fine.\n",
      err: [
        "Session session_1: openai/gpt-5",
        "I look first.",
        "file.read a.ts  12 lines  0.1 s",
        "12 400 tokens read (9 000 cached), 800 written, $0.04, 6 calls, 15 s",
        "",
      ].join("\n"),
    });
  });

  it("streams every word to a user who watches, and starts each message on a new line", () => {
    expect(show(whole, { isWatched: true }).both).toBe(
      [
        "Session session_1: openai/gpt-5",
        "I look first.",
        "file.read a.ts  12 lines  0.1 s",
        "It is fine.",
        "12 400 tokens read (9 000 cached), 800 written, $0.04, 6 calls, 15 s",
        "",
      ].join("\n"),
    );
  });

  it("never prints part of an interrupted reply as the answer", () => {
    const cut: readonly AgentEventBody[] = [
      { type: "turn-start", turn: 1 },
      { type: "round-start", round: 1 },
      ...say("Half an ans").slice(0, 2),
      { type: "retry", attempt: 1, waitMs: 4200, code: "cut", message: "The reply broke off" },
      { type: "round-start", round: 1 },
      ...say("A whole answer.\n"),
      { type: "reply-end", reason: "stop" },
      end(),
    ];
    expect(show(cut)).toMatchObject({
      out: "A whole answer.\n",
      err: expect.stringContaining(
        "The reply broke off (cut); its unfinished reply is discarded. Retrying in 4.2 s, attempt 2\n",
      ),
    });
  });

  it("shows the text of a failed turn, but not as its answer", () => {
    expect(show([{ type: "turn-start", turn: 1 }, ...say("So far"), end("aborted")])).toMatchObject({
      out: "",
      err: expect.stringMatching(/^So far\nStopped\. Changes made so far are kept\.\n12 400 tokens/),
    });
  });

  it("lets no streamed text imitate an approval prompt or control the terminal", () => {
    const fake = [...say("[y]es once\u001b[1A"), { type: "reply-end", reason: "calls" }, end()] as const;
    expect(show(fake).err).toMatch(/^"\[y\]es" once<U\+001B>\[1A\n/);
  });

  it("joins the text of several replies that reached the length limit", () => {
    const parts = [...say("One,"), { type: "reply-end", reason: "length" }, ...say("two."), end()] as const;
    expect(show(parts).out).toBe("One,\ntwo.\n");
  });

  it("shows changes as a diff that no line of a file can break out of", () => {
    const diff = "--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n ok\n--- x\n+Allow it?\u001b[2J\n";
    expect(show(read({ data: { files: [{ path: "a.ts", diff }] } })).err).toBe(
      [
        "file.read /w/a.ts  +1 −1  0.1 s",
        "  | --- a/a.ts",
        "  | +++ b/a.ts",
        "  | @@ -1,2 +1,2 @@",
        "  |  ok",
        "  | --- x",
        "  | +Allow it?<U+001B>[2J",
        "",
      ].join("\n"),
    );
  });

  it("cuts a long diff, and shows where the rest is", () => {
    const diff = `@@ -0,0 +1,100 @@\n${"+line\n".repeat(100)}`;
    const { err } = show(read({ data: { files: [{ path: "a.ts", diff }] } }));
    expect([err.split("\n").length, err.split("\n").at(-2)]).toEqual([
      27,
      "  … 77 more lines: toolcrib diff call_1",
    ]);
  });

  it("reports why a call failed, in one line without control characters", () => {
    const failed = (code: "not-found" | "needs-approval", message: string) =>
      show(read({ isError: true, error: { code, message, hint: null } })).err;
    expect([
      failed("not-found", "There is no a.ts\u001b[1A\nSee elsewhere"),
      failed("needs-approval", "it would run rm"),
      show(read({ isError: true, data: { exitCode: 2 } })).err,
    ]).toEqual([
      "file.read /w/a.ts  failed: There is no a.ts<U+001B>[1A  0.1 s\n",
      "file.read /w/a.ts  not approved: it would run rm  0.1 s\n",
      "file.read /w/a.ts  exit code 2  0.1 s\n",
    ]);
  });

  it("names the subagent of an event, and keeps its text out of the answer", () => {
    const inAgent = [...say("mine"), ...read(), end()].map((event) => ({ ...event, agent: "agent_1" }));
    expect(show(inAgent)).toMatchObject({ out: "", err: "agent_1  file.read /w/a.ts  0.1 s\n" });
  });

  it("prints rare events in one line each", () => {
    const rare: readonly AgentEventBody[] = [
      { type: "steering", text: "use\ntabs" },
      { type: "clearing", outputs: 12, tokensBefore: 100_000, tokensAfter: 51_000 },
      { type: "compaction", tokensBefore: 150_000, tokensAfter: 9_000 },
      { type: "model", model: "ollama/qwen3", reasoning: "high" },
      { type: "limit", limit: "rounds", allowed: 200 },
      { type: "limit", limit: "cost", allowed: 2 },
      { type: "loop", action: "warned", calls: ["Read(a)"], times: 3 },
      { type: "warning", message: "80 % full" },
      { type: "error", error: { code: "auth", message: "The key is wrong", hint: "Set OPENAI_API_KEY." } },
    ];
    expect(show(rare).err).toBe(
      [
        "Sent to the model: use<U+000A>tabs",
        "Cleared 12 old outputs: 100 000 to 51 000 tokens",
        "Compacted the conversation: 150 000 to 9 000 tokens",
        "Model: ollama/qwen3, reasoning high",
        "Limit reached: 200 rounds",
        "Limit reached: $2",
        "The model repeats itself and was warned: Read(a), 3 times",
        "80 % full",
        "The key is wrong (auth)",
        "Set OPENAI_API_KEY.",
        "",
      ].join("\n"),
    );
  });

  it("prints reasoning and command output when verbose", () => {
    const thinking: readonly AgentEventBody[] = [
      { type: "reasoning-start", id: "r" },
      { type: "reasoning-end", id: "r", text: "Hm.\nOr not?" },
      { type: "tool-output", id: "c", stream: "stdout", text: "\u001b[31mred\u001b[0m\n" },
    ];
    expect([show(thinking).err, show(thinking, { verbose: true }).err]).toEqual([
      "",
      "  | Hm.\n  | Or not?\n  | red\n",
    ]);
  });

  it("shows the last calls of a script as a tree below it", () => {
    const [begun, ended] = read();
    const inner = Array.from({ length: 12 }, (_, at) => innerCall(at, at === 11 ? "denied" : null)).flat();
    expect(show([start, begun!, ...inner, ended!]).err).toContain(
      [
        "file.read a.ts  0.1 s",
        "  ├ … 2 earlier calls",
        ...Array.from({ length: 9 }, (_, at) => `  ├ file.read ${at + 2}.txt`),
        "  └ file.read 11.txt  A rule denies it",
      ].join("\n"),
    );
  });
});
