import { cpuMsOf, residentMbOf } from "../process-tree.ts";
import { clients } from "./clients.ts";
import { type Moment, Stage } from "./stage.ts";

// Runs one client for many rounds in a separate process: node loop.ts <client>. Sends a LoopReport to its parent.

export interface LoopFigures {
  readonly rounds: number;
  /** The time between a reply and the next request. */
  readonly gapMs: number;
  readonly cpuMs: number;
  /** The cost of a round at the end, as a multiple of one at the beginning. */
  readonly lateCpu: number;
  readonly lateGap: number;
  readonly startMs: number;
  readonly firstMb: number;
  readonly peakMb: number;
  /** The size of the last request. */
  readonly kilobytes: number;
}

export type LoopReport = { readonly figures: LoopFigures } | { readonly failure: string };

/** The 50 rounds around round 50. */
const early = { from: 25, to: 75 };
const window = early.to - early.from;

if (process.argv[2] !== undefined) sendReport(await measureLoop(process.argv[2]));

async function measureLoop(name: string): Promise<LoopReport> {
  const { rounds, read } = clients[name]!;
  const moments: Moment[] = [];
  /** The processor time of the client when each request arrived, by the number of the request. */
  const cpu = new Map<number, number>();
  const memory = { firstMb: 0, peakMb: 0 };
  const stage = await Stage.open(name, (moment) => {
    const { number } = moment;
    moments.push(moment);
    if ((number - 1) % 25 === 0 || number === rounds + 1) cpu.set(number - 1, cpuMsOf(child.pid!));
    if (number === 1) memory.firstMb = residentMbOf(child.pid!, "VmRSS");
    if (number % 25 === 0 || number === rounds + 1)
      memory.peakMb = Math.max(memory.peakMb, residentMbOf(child.pid!, "VmHWM"));
    return number > rounds ? { text: "Done." } : { calls: [read(number * 2 - 1)] };
  });
  const { child, startedAt, ended } = stage.start();
  process.on("SIGTERM", () => {
    child.kill("SIGKILL");
    process.exit(1);
  });
  try {
    await ended;
    if (moments.length !== rounds + 1) throw new Error(`It asked ${moments.length} times.`);
    const gaps = moments.slice(1).map(({ gapMs }) => gapMs);
    const cpuOf = (from: number, to: number) => (cpu.get(to)! - cpu.get(from)!) / (to - from);
    return {
      figures: {
        rounds,
        gapMs: middle(gaps),
        cpuMs: cpuOf(0, rounds),
        lateCpu: cpuOf(rounds - window, rounds) / cpuOf(early.from, early.to),
        lateGap: middle(gaps.slice(-window)) / middle(gaps.slice(early.from, early.to)),
        startMs: moments[0]!.arrivedAt - startedAt,
        ...memory,
        kilobytes: moments.at(-1)!.size / 1024,
      },
    };
  } catch (error) {
    return { failure: (error as Error).message };
  } finally {
    child.kill();
    await stage.close();
  }
}

function middle(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)]!;
}

function sendReport(report: LoopReport): void {
  if (process.send) process.send(report, () => process.disconnect());
  else console.log(report);
}
