import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Admission, mostStarts, startMs } from "./admission.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Calls that run until they are ended, and the order in which they started. */
function calls() {
  const admission = new Admission();
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const call = (session: object, name: string) =>
    admission.run(session, () => {
      started.push(name);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(name, resolve);
      return promise;
    });
  const end = async (name: string) => {
    ends.get(name)!();
    await turn();
  };
  return { admission, started, call, end };
}

describe("admission", () => {
  it("lets sessions take turns, so that a read does not wait for forty calls of another session", async () => {
    const { started, call, end } = calls();
    const [busy, quiet] = [{}, {}];
    for (let number = 0; number < 40; number += 1) void call(busy, `busy ${number}`);
    void call(quiet, "read");
    await turn();
    const first = Array.from({ length: mostStarts }, (_, number) => `busy ${number}`);
    expect(started).toEqual(first);
    await end("busy 0");
    await end("busy 1");
    await end("busy 2");
    expect(started).toEqual([...first, `busy ${mostStarts}`, "read", `busy ${mostStarts + 1}`]);
  });

  it("starts further calls when the first ones take long", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { started, call, end } = calls();
    for (let number = 0; number <= mostStarts; number += 1) void call({}, String(number));
    await turn();
    expect(started.length).toBe(mostStarts);
    vi.advanceTimersByTime(startMs);
    await turn();
    expect(started.length).toBe(mostStarts + 1);
    await end("0");
    for (let number = 0; number <= mostStarts; number += 1) void call({}, `next ${number}`);
    await turn();
    // A slot that was released by time is not released again when the call ends.
    expect(started.length).toBe(mostStarts + 1 + mostStarts - 1);
  });

  it("runs calls of open sessions while others wait to open, and opens the next when one takes long", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { admission, started, call } = calls();
    const opening: string[] = [];
    for (const name of ["one", "two"])
      void admission.open(() => {
        opening.push(name);
        return new Promise(() => {});
      });
    void call({}, "read");
    await turn();
    expect([opening, started]).toEqual([["one"], ["read"]]);
    vi.advanceTimersByTime(startMs);
    await turn();
    await turn();
    expect(opening).toEqual(["one", "two"]);
  });
});
