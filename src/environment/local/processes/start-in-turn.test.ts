import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { ProcessExit, RunningProcess } from "../../../contract/environment.ts";
import { openLocalEnvironment } from "../local-environment.ts";
import { startInTurn } from "./start-in-turn.ts";

const slots = Math.max(2, availableParallelism());
const { signal: always } = new AbortController();

describe("startInTurn", () => {
  it("bounds the ripgreps at once, and the first ends before the last starts", { tags: "slow" }, async () => {
    await using folder = temporaryFolder();
    const [log, rg] = [join(folder.path, "log"), join(folder.path, "rg")];
    writeFileSync(rg, `#!/bin/sh\necho + >> '${log}'\nsleep 0.05\necho - >> '${log}'\n`);
    chmodSync(rg, 0o755);
    await using environment = openLocalEnvironment({ workspace: folder.path, programs: { rg } });
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { signal } = new AbortController();
        await (await environment.start("rg", { args: [], confinement: "ours", signal })).exit;
      }),
    );
    const events = readFileSync(log, "utf8").trimEnd().split("\n");
    let [running, most] = [0, 0];
    for (const event of events) {
      running += event === "+" ? 1 : -1;
      most = Math.max(most, running);
    }
    expect({ starts: events.length / 2, isBounded: most <= slots }).toEqual({ starts: 20, isBounded: true });
    expect(events.indexOf("-")).toBeLessThan(events.lastIndexOf("+"));
  });

  it("does not let a command wait for commands that run for long", { tags: "slow" }, async () => {
    await using folder = temporaryFolder();
    await using environment = openLocalEnvironment({ workspace: folder.path });
    const run = (script: string) =>
      environment.start("sh", { args: ["-c", script], signal: new AbortController().signal });
    const slow = await Promise.all(Array.from({ length: 2 * slots + 3 }, () => run("exec sleep 600")));
    expect((await (await run("exit 3")).exit).code).toBe(3);
    for (const process of slow) process.stop();
  });

  it("lets git start while ripgrep has no slot, and does not limit servers", async () => {
    const programs = new StubPrograms();
    for (let number = 0; number < slots; number++) await programs.start("rg", `rg ${number}`);
    void programs.start("rg", "waiting");
    await programs.start("git", "git");
    for (let number = 0; number < 3 * slots; number++) await programs.start("/bin/sh", `server ${number}`);
    expect(programs.started).toHaveLength(4 * slots + 1);
    await programs.endAll();
    expect(programs.started.at(-1)).toBe("waiting");
    await programs.endAll();
  });

  it("does not let callers wait for starts that take very long", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const never = Promise.withResolvers<RunningProcess>();
      const options = () =>
        ({ args: [], confinement: "ours", signal: new AbortController().signal }) as const;
      const stuck = Array.from({ length: slots }, () => startInTurn("git", options(), () => never.promise));
      const programs = new StubPrograms();
      const other = programs.start("git", "other", { caller: {} });
      await setImmediate();
      expect(programs.started).toEqual([]);
      await vi.advanceTimersByTimeAsync(10_000);
      await other;
      never.reject(new Error("it could not start"));
      expect((await Promise.allSettled(stuck)).map(({ status }) => status)).toEqual(
        Array(slots).fill("rejected"),
      );
      await programs.endAll();
    } finally {
      vi.useRealTimers();
    }
  });

  it("lets callers take turns", async () => {
    const programs = new StubPrograms();
    const [busy, quiet] = [{}, {}];
    for (let number = 0; number < slots; number++) await programs.start("rg", "first", { caller: busy });
    for (const name of ["a1", "a2", "a3"]) void programs.start("rg", name, { caller: busy });
    void programs.start("rg", "b1", { caller: quiet });
    for (let ended = 0; ended < 4; ended++) await programs.end(0);
    expect(programs.started.slice(slots)).toEqual(["a1", "b1", "a2", "a3"]);
    await programs.endAll();
  });

  it("forgets a cancelled call that waits", async () => {
    const programs = new StubPrograms();
    for (let number = 0; number < slots; number++) await programs.start("git", "first");
    const cancelling = new AbortController();
    const waiting = programs.start("git", "cancelled", { signal: cancelling.signal });
    const next = programs.start("git", "next");
    cancelling.abort();
    await expect(waiting).rejects.toMatchObject({
      code: "cancelled",
      message: "The call was cancelled before git started",
    });
    await programs.end(0);
    await next;
    expect(programs.started.slice(slots)).toEqual(["next"]);
    await programs.endAll();
  });

  it("lets a call that holds a slot start further programs, and keeps the slot of a failed start free", async () => {
    const programs = new StubPrograms();
    const calls = Array.from({ length: slots }, () => new AbortController().signal);
    for (const signal of calls) await programs.start("rg", "outer", { signal });
    for (const signal of calls) await programs.start("rg", "inner", { signal });
    expect(programs.started).toHaveLength(2 * slots);
    await programs.endAll();
    for (let number = 0; number < 2 * slots; number++) {
      const fail = () => Promise.reject(new Error("no such program"));
      const options = { args: [], confinement: "ours", signal: new AbortController().signal } as const;
      await expect(startInTurn("rg", options, fail)).rejects.toThrow("no such program");
    }
  });
});

/** Programs that end when the test says so. */
class StubPrograms {
  readonly started: string[] = [];
  readonly #ends: (() => void)[] = [];

  start(
    program: string,
    name: string,
    { caller, signal = AbortSignal.any([always]) }: { caller?: object; signal?: AbortSignal } = {},
  ): Promise<RunningProcess> {
    const options = { args: [], confinement: "ours", signal, caller } as const;
    return startInTurn(program, options, async () => {
      this.started.push(name);
      const { promise: exit, resolve } = Promise.withResolvers<ProcessExit>();
      this.#ends.push(() => resolve({ code: 0, signal: undefined, remarks: [] }));
      return { exit } as RunningProcess;
    });
  }

  async end(index: number): Promise<void> {
    this.#ends.splice(index, 1)[0]!();
    await setImmediate();
  }

  async endAll(): Promise<void> {
    const ends = this.#ends.splice(0);
    for (const end of ends) end();
    await setImmediate();
  }
}
