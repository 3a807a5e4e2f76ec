import { expect, it } from "vitest";
import { ToolError } from "../../contract/error.ts";
import { throwIfAborted, unlessAborted, untilAborted, whileWaitingFor } from "./abort.ts";

const never = new Promise<string>(() => {});

it("returns the result of work that ends in time", async () => {
  const { signal } = new AbortController();
  expect(await Promise.all([untilAborted(Promise.resolve(1), signal), unlessAborted(2, signal)])).toEqual([
    1, 2,
  ]);
});

it("stops waiting when the signal aborts, before or after the wait began", async () => {
  const late = new AbortController();
  const waits = [
    untilAborted(never, late.signal, whileWaitingFor("its turn")),
    unlessAborted(never, late.signal),
  ];
  late.abort();
  const ends = await Promise.allSettled([...waits, untilAborted(never, AbortSignal.abort("why"))]);
  expect(ends).toMatchObject([
    { reason: { code: "cancelled", message: "The call was cancelled while it waited for its turn" } },
    { value: undefined },
    { reason: { code: "cancelled", message: "The call was cancelled", cause: "why" } },
  ]);
});

it("passes on a reason that is a ToolError", () => {
  const reason = new ToolError("timeout", "Too late");
  expect(() => throwIfAborted(AbortSignal.abort(reason))).toThrow(reason);
  expect(() => throwIfAborted(undefined)).not.toThrow();
});
