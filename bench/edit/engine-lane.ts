import { Random } from "../data/random.ts";
import { measureBigFile } from "./big-file.ts";
import { engines } from "./engines.ts";
import { judge, type Verdict } from "./judge.ts";
import { shuffle } from "./modifications.ts";
import { type Answer, type Engine, Refusal, type Task } from "./task.ts";
import { loadTasks } from "./task-store.ts";

/** What one engine did with its tasks. */
export interface LaneReport {
  readonly engine: string;
  readonly outcomes: readonly Outcome[];
  /** Milliseconds on a file of 10 MB; undefined where the engine takes no such call or gets it wrong. */
  readonly bigFile: Readonly<Record<string, { ms: number; verdict: Verdict } | undefined>>;
}

export interface Outcome {
  readonly task: number;
  readonly verdict: Verdict;
  readonly microseconds: number;
  /** An engine that throws something unexpected has refused, but not on purpose. */
  readonly crash?: string;
}

/** Runs an engine over its share of the tasks, in this process. */
export async function runEngine(
  name: string,
  options: { module?: string | undefined; kind?: string | undefined; bigFile: boolean },
): Promise<LaneReport> {
  const { open, sample, seconds } = engines[name]!;
  const engine = await open(options.module);
  const all = loadTasks().filter(
    ({ form, kind }) =>
      engine.forms.includes(form) && (options.kind === undefined || kind.includes(options.kind)),
  );
  const tasks = sample === undefined ? all : spread(all).slice(0, sample);
  const deadline = performance.now() + 1000 * (seconds ?? 600);
  try {
    // Compiled code, as in a server that has run for a while.
    for (const task of spread(all).slice(0, Math.min(1500, (sample ?? 15_000) / 10)))
      await attempt(engine, task);
    const outcomes: Outcome[] = [];
    for (const task of tasks) {
      if (performance.now() > deadline) break;
      outcomes.push(await measureTask(engine, task));
    }
    return { engine: name, outcomes, bigFile: options.bigFile ? await measureBigFile(engine) : {} };
  } finally {
    engine.close?.();
  }
}

async function measureTask(engine: Engine, task: Task): Promise<Outcome> {
  const { answer, microseconds, crash } = await attempt(engine, task);
  return { task: task.id, verdict: judge(task, answer), microseconds, ...(crash !== undefined && { crash }) };
}

export async function attempt(
  engine: Engine,
  { call, files }: Pick<Task, "call" | "files">,
): Promise<{ answer: Answer; microseconds: number; crash?: string }> {
  const before = new Map(files.flatMap(({ path, before }) => (before ? [[path, before]] : [])));
  const start = performance.now();
  try {
    const given = engine.apply(call, before);
    const answer = given instanceof Promise ? await given : given;
    return { answer, microseconds: 1000 * (performance.now() - start) };
  } catch (error) {
    const crash = (error as Error).stack ?? String(error);
    return { answer: new Refusal(crash), microseconds: 1000 * (performance.now() - start), crash };
  }
}

/** Every kind early: whatever is cut off at the end is missing from all kinds alike. */
function spread(tasks: readonly Task[]): Task[] {
  const random = new Random(7);
  const byKind = Map.groupBy(tasks, ({ kind, form }) => `${kind} ${form}`);
  const piles = [...byKind.values()].map((pile) => shuffle([...pile], random));
  const longest = Math.max(0, ...piles.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => piles.flatMap((pile) => pile[index] ?? [])).flat();
}
