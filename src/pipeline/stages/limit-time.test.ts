import { afterEach, describe, expect, it, vi } from "vitest";
import { done, stageCall } from "../../../test/support/stages/stage-call.ts";
import { ToolError } from "../../contract/error.ts";
import type { Next } from "../stage.ts";
import { limitTime } from "./limit-time.ts";

afterEach(() => void vi.useRealTimers());

/** A tool that works until its signal aborts, then ends like this. */
function untilAborted(end: () => Promise<typeof done>): Next {
  return ({ signal }) =>
    new Promise((resolve, reject) => signal.addEventListener("abort", () => end().then(resolve, reject)));
}

function codeOf(outcome: Promise<unknown>): Promise<unknown> {
  return outcome.then(
    () => "ok",
    (error: ToolError) => error.code,
  );
}

describe("limitTime", () => {
  it("passes through the outcome of a call that ends in time", async () => {
    expect(await limitTime(stageCall({ timeoutMs: 10_000 }), async () => done)).toBe(done);
  });

  it("does not start a call that is already cancelled", async () => {
    const next = vi.fn<Next>();
    expect(await codeOf(limitTime(stageCall({ signal: AbortSignal.abort() }), next))).toBe("cancelled");
    expect(next).not.toHaveBeenCalled();
  });

  it("refuses a deadline that is not positive", async () => {
    expect(await codeOf(limitTime(stageCall({ timeoutMs: 0 }), async () => done))).toBe("invalid-input");
  });

  it("does not count the time in which all inner calls wait", async () => {
    vi.useFakeTimers();
    const ended = vi.fn();
    const { promise, resolve } = Promise.withResolvers<typeof done>();
    let endWait = () => {};
    const script = stageCall({ timeoutMs: 1_000 });
    const outcome = limitTime(script, ({ signal, clock }) => {
      signal.addEventListener("abort", ended);
      endWait = clock!.wait();
      return limitTime(
        stageCall({ timeoutMs: 9_000, parent: { id: "call_1", clock: clock! } }),
        () => promise,
      );
    });
    // The inner call runs.
    await vi.advanceTimersByTimeAsync(600);
    resolve(done);
    await vi.advanceTimersByTimeAsync(0);
    expect([await outcome, ended.mock.calls.length]).toEqual([done, 0]);
    const waiting = limitTime(script, ({ signal, clock }) => {
      signal.addEventListener("abort", ended);
      endWait = clock!.wait();
      return untilAborted(async () => done)({ ...script, signal });
    });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ended).not.toHaveBeenCalled();
    endWait();
    await vi.advanceTimersByTimeAsync(999);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect([ended.mock.calls.length, await waiting]).toEqual([1, done]);
  });

  it("prefers the caller's deadline, then the tool's, then 60 seconds", async () => {
    vi.useFakeTimers();
    const stops = () => Promise.reject(new Error("stopped"));
    const messageOf = async (call: Parameters<typeof stageCall>[0]) => {
      const ended = limitTime(stageCall(call), untilAborted(stops)).catch(({ message }) => message);
      await vi.runAllTimersAsync();
      return ended;
    };
    const tool = { timeoutMs: 5_000 };
    expect([
      await messageOf({ timeoutMs: 1_000, tool }),
      await messageOf({ tool }),
      await messageOf({}),
    ]).toEqual([1, 5, 60].map((seconds) => `The call did not finish within ${seconds} s and was ended`));
  });

  it("returns the outcome of a tool that finishes in spite of the deadline", async () => {
    vi.useFakeTimers();
    const outcome = limitTime(
      stageCall({ timeoutMs: 1 }),
      untilAborted(async () => done),
    );
    await vi.runAllTimersAsync();
    expect(await outcome).toBe(done);
  });

  it("keeps an error that contains the output so far", async () => {
    const cancelling = new AbortController();
    const error = new ToolError("cancelled", "Ended", { output: "half" });
    const call = stageCall({ signal: cancelling.signal });
    const outcome = limitTime(
      call,
      untilAborted(() => Promise.reject(error)),
    ).catch((thrown) => thrown);
    cancelling.abort();
    expect(await outcome).toBe(error);
  });

  it("returns without waiting for a tool that does not stop, and reports its work once", async () => {
    vi.useFakeTimers();
    const outlivedBy = vi.fn();
    const work = new Promise<never>(() => {});
    const outcome = codeOf(limitTime(stageCall({ timeoutMs: 1_000, outlivedBy }), () => work));
    await vi.advanceTimersByTimeAsync(1_199);
    expect(outlivedBy).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toBe("timeout");
    expect(outlivedBy.mock.calls).toEqual([[work]]);
  });
});
