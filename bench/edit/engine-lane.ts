import { Random } from "../data/random.ts";
import { attempt } from "./attempt.ts";
import { type BigFileFigures, measureBigFile } from "./big-file.ts";
import { engines } from "./engines.ts";
import { judge, type Verdict } from "./judge.ts";
import { shuffle } from "./modifications.ts";
import type { Category, Engine, Form, Task } from "./task.ts";
import { loadTasks } from "./task-store.ts";

/** The results of one engine. */
export interface LaneReport {
  readonly engine: string;
  readonly classes: readonly ClassReport[];
  readonly times: readonly FormTimes[];
  readonly bigFile: readonly BigFileFigures[];
}

export interface ClassReport {
  readonly kind: string;
  readonly category: Category;
  readonly form: Form;
  readonly verdicts: Readonly<Partial<Record<Verdict, number>>>;
  /** The first error that the engine threw instead of refusing. */
  readonly crash?: string;
}

interface FormTimes {
  readonly form: Form;
  readonly tasks: number;
  readonly p50Us: number;
  readonly p95Us: number;
}

/** Runs an engine over its share of the tasks, in this process. */
export async function runEngine(
  name: string,
  { module, kind = "" }: { module?: string | undefined; kind?: string | undefined },
): Promise<LaneReport> {
  const { open, sample, seconds } = engines[name]!;
  const engine = await open(module);
  const all = loadTasks().filter((task) => engine.forms.includes(task.form) && titleOf(task).includes(kind));
  const tasks = spread(all).slice(0, sample);
  try {
    await warmUp(engine, tasks);
    const deadline = performance.now() + 1000 * (seconds ?? 600);
    const outcomes: Outcome[] = [];
    for (const task of tasks) {
      if (performance.now() > deadline) break;
      const { answer, microseconds, crash } = await attempt(engine, task);
      outcomes.push({ task, verdict: judge(task, answer), microseconds, crash });
    }
    return {
      engine: name,
      classes: classReports(outcomes),
      times: engine.forms.map((form) => timesOf(form, outcomes)),
      bigFile: kind === "" ? await measureBigFile(engine, all) : [],
    };
  } finally {
    engine.close?.();
  }
}

/** The code gets compiled, as in a server that has run for a while. */
async function warmUp(engine: Engine, tasks: readonly Task[]): Promise<void> {
  const deadline = performance.now() + 3000;
  for (const task of tasks.slice(0, 1500)) {
    if (performance.now() > deadline) return;
    await attempt(engine, task);
  }
}

/** The name of a class, with its form where forms are distinguished. */
export function titleOf({ kind, form }: Pick<Task, "kind" | "form">): string {
  return `${kind} (${form})`;
}

interface Outcome {
  readonly task: Task;
  readonly verdict: Verdict;
  readonly microseconds: number;
  readonly crash: string | undefined;
}

function classReports(outcomes: readonly Outcome[]): ClassReport[] {
  return [...Map.groupBy(outcomes, ({ task }) => titleOf(task)).values()].map((group) => {
    const { kind, category, form } = group[0]!.task;
    const crash = group.find((outcome) => outcome.crash !== undefined)?.crash;
    const counts = [...Map.groupBy(group, ({ verdict }) => verdict)].map(([key, each]) => [key, each.length]);
    return {
      kind,
      category,
      form,
      verdicts: Object.fromEntries(counts),
      ...(crash !== undefined && { crash }),
    };
  });
}

function timesOf(form: Form, outcomes: readonly Outcome[]): FormTimes {
  const times = outcomes.flatMap(({ task, microseconds }) => (task.form === form ? [microseconds] : []));
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return { form, tasks: times.length, p50Us: at(0.5), p95Us: at(0.95) };
}

/** All classes are interleaved, so that a run that is cut off lacks the same share of each. */
function spread(tasks: readonly Task[]): Task[] {
  const random = new Random(7);
  const piles = [...Map.groupBy(tasks, titleOf).values()].map((pile) => shuffle([...pile], random));
  const longest = Math.max(0, ...piles.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => piles.flatMap((pile) => pile[index] ?? [])).flat();
}
