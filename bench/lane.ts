import { readFileSync, writeFileSync } from "node:fs";
import { loadGroup } from "./groups.ts";
import type { Contender, LaneMessage, LaneRequest, MemoryReport, RoundReport } from "./harness.ts";
import { childrenOf, ticksOf } from "./process-tree.ts";

// The process of one contender: node lane.ts <group> <case> <contender>. harness.ts requests the rounds.

const [groupName, caseName, contenderName] = process.argv.slice(2);

try {
  const contender = await open();
  const before = memoryNow({ forgetPeak: true });
  process.on("message", (request: LaneRequest) => {
    const report =
      request === "memory"
        ? Promise.resolve({ type: "memory" as const, ...growthSince(before) })
        : runRound(contender, contender.laps ?? request.laps).then((round) => ({
            type: "round" as const,
            ...round,
          }));
    report.then(send, fail);
  });
  process.on("disconnect", () => void Promise.resolve(contender.close?.()).then(() => process.exit(0)));
  send({ type: "ready" });
} catch (error) {
  fail(error);
}

async function open(): Promise<Contender> {
  const group = await loadGroup(groupName!);
  const found = group.cases.find((other) => other.name === caseName)?.contenders[contenderName!];
  if (!found) throw new Error(`There is no contender "${contenderName}" in "${caseName}" of ${groupName}.`);
  return found();
}

async function runRound(contender: Contender, laps: number): Promise<RoundReport> {
  const lapsMs: number[] = [];
  let answer: unknown;
  const cpuBefore = cpuMsNow();
  for (let lap = 0; lap < laps; lap++) {
    if (contender.reset) await contender.reset();
    const start = performance.now();
    answer = contender.run();
    // Synchronous contenders must not wait for a turn of the queue.
    if (answer instanceof Promise) answer = await answer;
    lapsMs.push(performance.now() - start);
    if (contender.settle) await contender.settle();
  }
  return { lapsMs, cpuMs: cpuMsNow() - cpuBefore, answer: isWord(answer) ? String(answer) : "" };
}

function isWord(answer: unknown): boolean {
  return typeof answer === "string" || typeof answer === "number";
}

/**
 * The processor time of this process and its children, including running workers. The kernel counts in steps of 10
 * ms.
 */
function cpuMsNow(): number {
  const own = process.cpuUsage();
  const running = childrenOf("self").reduce((sum, pid) => sum + ticksOf(pid, 11, 15), 0);
  return (own.user + own.system) / 1000 + (ticksOf("self", 13, 15) + running) * 10;
}

interface Memory {
  readonly resident: number;
  readonly heap: number;
}

function memoryNow({ forgetPeak }: { forgetPeak: boolean }): Memory {
  globalThis.gc!();
  if (forgetPeak) writeFileSync("/proc/self/clear_refs", "5");
  const { heapUsed, external } = process.memoryUsage();
  return { resident: process.memoryUsage.rss(), heap: heapUsed + external };
}

function growthSince(before: Memory): MemoryReport {
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))![1]) * 1024;
  const now = memoryNow({ forgetPeak: false });
  const toMb = (bytes: number) => bytes / 2 ** 20;
  return {
    peakMb: toMb(peak - before.resident),
    heapMb: toMb(now.heap - before.heap),
    residentMb: toMb(now.resident - before.resident),
  };
}

function send(message: LaneMessage): void {
  process.send!(message);
}

function fail(error: unknown): void {
  send({ type: "failure", message: error instanceof Error ? error.message : String(error) });
}
