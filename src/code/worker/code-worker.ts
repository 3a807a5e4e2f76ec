import { ToolError } from "../../contract/error.ts";
import type { ServiceOf } from "../../workers/channel.ts";
import { Worker, type WorkerOptions, workerProgram } from "../../workers/worker.ts";
import { parserCrashed, tooSlow } from "./parse-errors.ts";

export type WorkerRole = "reader" | "builder" | "indexer";

interface CodeWorkerOptions extends Omit<WorkerOptions, "program" | "args" | "flags" | "failures"> {
  readonly role: readonly [WorkerRole, ...string[]];
  readonly heavy?: boolean;
}

export class CodeWorker<Theirs extends ServiceOf<Theirs>> extends Worker<Theirs> {
  constructor({ role, heavy = false, ...others }: CodeWorkerOptions) {
    const flags = [
      // Keeps V8 from optimizing hot functions. NODE_OPTIONS does not accept it, and V8 ignores it at run time.
      ...(heavy ? ["--liftoff-only"] : []),
      ...(role[0] === "reader" ? [] : collectsSoon),
      ...(role[0] === "builder" ? ["--initial-old-space-size=16"] : []),
    ];
    const program = workerProgram("code-worker", import.meta.url);
    const crashed: WorkerOptions["failures"]["crashed"] = (about, { how, stderrTail }, hint) =>
      parserCrashed(about, how, stderrTail, hint);
    super({ ...others, program, args: role, flags, failures: { tooSlow, crashed } });
  }
}

/** Every Node from 22 on accepts these. An index allocates much at once. By default, garbage takes more memory than the records of a large workspace. */
const collectsSoon = ["--max-semi-space-size=2", "--heap-growing-percent=25"];

/** Asks the light worker, then the heavy one, because V8 may crash on a grammar that was not known to be heavy. */
export async function orInHeavyWorker<AnyWorker, Answer>(
  ask: (worker: AnyWorker) => Promise<Answer>,
  light: AnyWorker,
  heavy: AnyWorker,
): Promise<Answer> {
  try {
    return await ask(light);
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "unavailable") throw error;
    return await ask(heavy);
  }
}
