import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { TestService, TestStarter } from "../../test/support/workers/test-worker.ts";
import { ToolError } from "../contract/error.ts";
import { type Answering, Worker, type WorkerOptions } from "./worker.ts";

const program = fileURLToPath(new URL("../../test/support/workers/test-worker.ts", import.meta.url));
const always = { about: "a.txt", signal: new AbortController().signal };
const workers: Worker<TestService>[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
});

describe("a worker", () => {
  it("answers again after a crash", { tags: "slow" }, async () => {
    // Fakes only the clock of the limit: how long a start takes depends on the machine's load.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const limitMs = 60_000;
    const { promise: hanging, resolve: hangs } = Promise.withResolvers<void>();
    const worker = open({ limitMs, ours: { hangs } satisfies TestStarter });
    expect(await worker.ask("add", () => [1, 2], always)).toBe(3);
    const question = worker.ask("hang", () => undefined, always);
    void hanging.then(() => vi.advanceTimersByTime(limitMs));
    await expect(question).rejects.toMatchObject({ code: "timeout", message: "a.txt took too long" });
    expect(await worker.ask("add", () => [3, 4], always)).toBe(7);
  });

  it("is killed when its buffers use too much memory, and reports it", { tags: "slow" }, async () => {
    const worker = open({});
    await expect(worker.ask("takeBytes", () => undefined, always)).rejects.toMatchObject({
      code: "unavailable",
      message: "a.txt: SIGALRM",
    });
    expect(await worker.ask("add", () => [1, 2], always)).toBe(3);
  });

  it("is replaced after an answer when it keeps much memory", { tags: "slow" }, async () => {
    const worker = open({});
    const processes: number[] = [];
    const keep = (count: number) => worker.ask("keepBytes", noting(processes, count), always);
    const little = await keep(1000);
    expect(await keep(220_000_000 - little)).toBeGreaterThan(200_000_000);
    expect(await keep(1000)).toBeLessThan(200_000_000);
    expect(processes).toEqual([1, 1, 2]);
  });

  it("exits when its objects use too much memory", { tags: "slow" }, async () => {
    const worker = open({ flags: ["--max-old-space-size=40"] });
    await expect(worker.ask("takeObjects", () => undefined, always)).rejects.toMatchObject({
      code: "unavailable",
      message: "a.txt: SIGABRT",
    });
    expect(await worker.ask("add", () => [1, 2], always)).toBe(3);
  });

  it("is killed when a cancelled request keeps running, and restarts for the next", async () => {
    const worker = open({});
    await worker.ask("add", () => [1], always);
    const cancelling = new AbortController();
    const hanging = worker.ask("hang", () => undefined, { about: "a.txt", signal: cancelling.signal });
    const next = worker.ask("add", () => [5, 6], always);
    cancelling.abort();
    await expect(hanging).rejects.toMatchObject({
      code: "cancelled",
      message: "The call was cancelled while a.txt was read",
    });
    expect(await next).toBe(11);
  });

  it("exits after its requests when it is retired, and restarts", { tags: "slow" }, async () => {
    const worker = open({});
    const processes: number[] = [];
    const add = (numbers: [number, number]) => worker.ask("add", noting(processes, numbers), always);
    const first = add([1, 2]);
    await Promise.resolve();
    worker.retire();
    expect([await first, await add([3, 4])]).toEqual([3, 7]);
    expect(processes).toEqual([1, 2]);
  });

  it("exits when it is idle, and restarts", { tags: "slow" }, async () => {
    const worker = open({ idleMs: 1 });
    const processes = new Set<number>();
    while (processes.size < 2) {
      const input = ({ process }: { process: number }) => {
        processes.add(process);
        return [process];
      };
      await worker.ask("add", input, always);
      await new Promise((wake) => setTimeout(wake, 20));
    }
    expect([...processes]).toEqual([1, 2]);
  });
});

/** Returns a function that notes the process of a request, and returns its input. */
function noting<Input>(processes: number[], input: Input): (answering: Answering) => Input {
  return ({ process }) => {
    processes.push(process);
    return input;
  };
}

function open(options: Partial<WorkerOptions>): Worker<TestService> {
  const worker = new Worker<TestService>({
    program,
    args: [],
    concurrency: 1,
    ours: { hangs: () => {} } satisfies TestStarter,
    failures: {
      tooSlow: (about) => new ToolError("timeout", `${about} took too long`),
      crashed: (about, { how, stderrTail: lastWords }) =>
        new ToolError("unavailable", `${about}: ${how}`, { cause: lastWords }),
    },
    ...options,
  });
  workers.push(worker);
  return worker;
}
