import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Outcome, ToolCall } from "../../contract/call.ts";
import { compose } from "../stage.ts";
import { takeShellTurns } from "./take-shell-turns.ts";

const done: Outcome = { ok: true, text: "", data: null, images: [], fullText: "" };

function callIn(session: string | undefined, signal = new AbortController().signal): ToolCall {
  const access = { kind: "execute", command: "ls", session } as const;
  const call = { tool: {}, notify: () => {}, outlivedBy: () => {} };
  return { accesses: [access], signal, ...call } as unknown as ToolCall;
}

it("serializes calls of one shell, and no others", async () => {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const stage = takeShellTurns();
  const run = (name: string, session: string | undefined) =>
    compose([stage], async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return done;
    })(callIn(session));
  const calls = [run("a1", "a"), run("a2", "a"), run("b", "b"), run("none", undefined), run("a3", "a")];
  await setImmediate();
  const first = [...begun];
  ends.get("a1")!();
  await setImmediate();
  const second = [...begun];
  ends.get("a2")!();
  await setImmediate();
  for (const end of ends.values()) end();
  await Promise.all(calls);
  expect([first.toSorted(), second.at(-1), begun.at(-1)]).toEqual([["a1", "b", "none"], "a2", "a3"]);
});

it("gives up a cancelled turn, and waits for work that outlives a call", async () => {
  const stage = takeShellTurns();
  const lingering = Promise.withResolvers<void>();
  const first = compose([stage], async ({ outlivedBy }) => {
    outlivedBy(lingering.promise);
    return done;
  })(callIn("a"));
  await first;
  const cancelling = new AbortController();
  const cancelled = stage(callIn("a", cancelling.signal), async () => done).catch(({ code }) => code);
  let hasBegun = false;
  const third = stage(callIn("a"), async () => {
    hasBegun = true;
    return done;
  });
  cancelling.abort();
  expect([await cancelled, hasBegun]).toEqual(["cancelled", false]);
  await setImmediate();
  expect(hasBegun).toBe(false);
  lingering.resolve();
  await third;
  expect(hasBegun).toBe(true);
});
