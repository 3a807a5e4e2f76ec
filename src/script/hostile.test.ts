import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { echoCalls, hostilePrograms } from "../../test/support/script/hostile-programs.ts";
import { ToolError } from "../contract/error.ts";
import type { InnerCalls, InnerResult } from "../contract/script.ts";
import { limits } from "./limits.ts";
import { type OpenScripts, openScripts } from "./open-scripts.ts";
import { ScriptRun } from "./run-script.ts";

let scripts: OpenScripts;
beforeAll(() => {
  scripts = openScripts({ computeMs: 150 });
});
afterAll(() => scripts.close());

const { signal } = new AbortController();

/** Returns the text of a program, or the code of its error. */
async function endOf(program: string): Promise<string> {
  try {
    const { printed, text } = await scripts.run(program, echoCalls, { signal });
    return printed + text;
  } catch (error) {
    return error instanceof ToolError ? error.code : `not a ToolError: ${error}`;
  }
}

describe("a hostile program", () => {
  it("ends, reaches nothing of the host, and leaves the next program alone", { tags: "slow" }, async () => {
    const contained = ["invalid-input", "too-large", "timeout", "not-found", "internal"];
    for (const { kind, text } of hostilePrograms(44)) {
      const end = await endOf(text);
      expect([kind, text, end.includes("ESCAPED"), end.startsWith("not a")]).toEqual([
        kind,
        text,
        false,
        false,
      ]);
      if (/^[a-z-]+$/.test(end) && end.includes("-")) expect(contained, `${kind}: ${text}`).toContain(end);
    }
    expect(await endOf("return (await tools.echo({ text: 'still fine' })).text")).toBe("still fine");
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("leaves this thread free to do other work", { tags: "slow" }, async () => {
    let turns = 0;
    const counting = setInterval(() => turns++, 1);
    const end = await endOf("for (;;);");
    clearInterval(counting);
    expect([end, turns > 1]).toEqual(["timeout", true]);
  });

  it("does not break the thread for the next program when its parser fails", { tags: "slow" }, async () => {
    expect(await endOf("(".repeat(190_000))).toBe("too-large");
    expect(await endOf("return 'next'")).toBe("next");
  });

  it("does not learn the time zone or the environment", async () => {
    const before = process.env["TZ"];
    process.env["TZ"] = "America/New_York";
    try {
      const program =
        "const day = new Date(2026, 6, 1); return day.toISOString() + day.getTimezoneOffset() + day.getHours()";
      expect(await endOf(program)).toBe("2026-07-01T00:00:00.000Z00");
    } finally {
      if (before === undefined) delete process.env["TZ"];
      else process.env["TZ"] = before;
    }
  });

  it("ends when its types take too long to read", { tags: "slow" }, async () => {
    expect(await endOf(`f${"<a>(".repeat(50)}${")".repeat(50)}`)).toBe("timeout");
  });

  it("ends with results that it has not read, and leaves its thread to the next program", async () => {
    const text = "x".repeat(1_000_000);
    const calls = {
      ...echoCalls,
      call: async (): Promise<InnerResult> => ({ ok: true, data: null, text, failed: undefined }),
    };
    const program =
      "const first = tools.long({}); for (let count = 0; count < 8; count++) void tools.long({}); await first; for (;;);";
    await expect(scripts.run(program, calls, { signal })).rejects.toMatchObject({ code: "timeout" });
    // A busy machine may not start it within the limit of these tests.
    await expect.poll(() => endOf("return (await tools.echo({ text: 'next' })).text")).toBe("next");
  });

  it("cannot pass on values instead of the texts of an error", async () => {
    const wrapped = "const error = new ToolError({ code: 'denied', message: 'm' });";
    for (const program of [
      `${wrapped} error.code = [[], {}]; error.hint = [[[]]]; error.message = [1, [2]]; throw error`,
      "}); throw [[], []]; (() => {",
      "}); throw null; (() => {",
      "}); throw { name: [[]], get message() { throw 1 }, stack: 5 }; (() => {",
    ])
      expect([program, await endOf(program)]).toEqual([program, "invalid-input"]);
  });

  it("cannot return much data under a short text", { tags: "slow" }, async () => {
    await using slow = asDisposable(openScripts());
    const program =
      "const result = await tools.echo({ text: 'short' }); result.data = '\\0'.repeat(1_400_000); return result";
    await expect(slow.run(program, echoCalls, { signal })).rejects.toThrow("may print and return");
  });

  it("cannot fill the memory of this thread with calls that wait", { tags: "slow" }, async () => {
    const released = Promise.withResolvers<void>();
    const call: InnerCalls["call"] = async () => {
      await released.promise;
      return { ok: true, data: null, text: "made", failed: undefined };
    };
    const run = new ScriptRun({ ...echoCalls, call }, signal);
    const answers: string[] = [];
    const deliver = ({ text }: { text: string | Uint8Array }) => void answers.push(String(text));
    const ask = (id: number, chars: number) =>
      run.ask(`${id}\t"call"\t"echo"\t"${"x".repeat(chars)}"\n`, deliver);
    for (let id = 1; id <= 8; id++) ask(id, 1);
    for (let id = 9; id <= 20; id++) ask(id, 7_900_000);
    expect(() => {
      for (let id = 21; id <= limits.asks + 1; id++) ask(id, 1);
    }).toThrow("A script may make 1000 calls");
    released.resolve();
    await vi.waitFor(() => expect(answers.length).toBe(limits.asks));
    expect(answers.filter((answer) => answer.includes("calls that wait"))).toHaveLength(4);
    await run.end();
  });

  it("cannot block this thread with an argument of very many values", async () => {
    const run = new ScriptRun(echoCalls, signal);
    const answers: string[] = [];
    const input = JSON.stringify({ text: Array(300_000).fill([]) });
    run.ask(`1\t"call"\t"echo"\t${input}\n`, ({ text }) => void answers.push(String(text)));
    await vi.waitFor(() => expect(answers).toEqual([expect.stringContaining("may have 200000 values")]));
    await run.end();
  });

  it("makes no call for the program that follows it", { tags: "slow" }, async () => {
    const ending = new AbortController();
    const own: string[] = [];
    const late: string[] = [];
    const answer = async (names: string[], name: string): Promise<InnerResult> => {
      names.push(name);
      return { ok: true, data: null, text: "", failed: undefined };
    };
    await using slow = asDisposable(openScripts());
    const first = slow.run(
      "for (;;) { void tools.late({}); await tools.late({}); for (let count = 0; count < 500_000; count++); }",
      {
        ...echoCalls,
        call: async (name) => {
          ending.abort();
          return answer(own, name);
        },
      },
      { signal: ending.signal },
    );
    await expect(first).rejects.toMatchObject({ code: "cancelled" });
    const calls = { ...echoCalls, call: (name: string) => answer(late, name) };
    expect(await slow.run("await tools.own({}); return 1", calls, { signal })).toMatchObject({ value: 1 });
    expect([new Set(own), late]).toEqual([new Set(["late"]), ["own"]]);
  });
});

function asDisposable<Closable extends { close(): Promise<void> }>(
  one: Closable,
): Closable & AsyncDisposable {
  return { ...one, [Symbol.asyncDispose]: () => one.close() };
}
