import { fileURLToPath } from "node:url";
import { ToolError } from "../../contract/error.ts";
import type { ServiceOf } from "../../workers/channel.ts";
import type { WorkerEnd } from "../../workers/start-worker.ts";
import { Worker, type WorkerOptions } from "../../workers/worker.ts";
import { brokeDown, tooSlow } from "./parse-errors.ts";

export type WorkerRole = "reader" | "builder" | "indexer";

export interface CodeWorkerOptions extends Omit<WorkerOptions, "program" | "args" | "flags" | "failures"> {
  /** What it is for, and about what. */
  readonly role: readonly [WorkerRole, ...string[]];
  /** Whether it is for heavy grammars: see heavy.ts. */
  readonly heavy?: boolean;
}

/** A host that reads code. */
export class CodeWorker<Theirs extends ServiceOf<Theirs>> extends Worker<Theirs> {
  constructor({ role, heavy = false, ...others }: CodeWorkerOptions) {
    // Keeps V8 from compiling what gets hot a second time, with care: not NODE_OPTIONS does, and nothing at run time.
    const flags = heavy ? ["--liftoff-only"] : [];
    super({
      ...others,
      program: workerProgram(),
      args: role,
      flags,
      failures: { tooSlow, brokeDown: failed },
    });
  }
}

function failed(about: string, { how, stderrTail }: WorkerEnd, otherWay?: string): ToolError {
  return brokeDown(about, how, stderrTail, otherWay);
}

/** Where V8 ended a host over a grammar that was not known to be heavy, it is tried again in one where V8 takes it easy. */
export async function orInHeavyWorker<Answer>(
  light: () => Promise<Answer>,
  heavy: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await light();
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "unavailable") throw error;
    return await heavy();
  }
}

/** The file that a host runs: beside this one as source; in a build beside the folder that holds this one. */
function workerProgram(module: string = import.meta.url): string {
  return fileURLToPath(new URL(module.endsWith(".ts") ? "main.ts" : "../code-worker/main.cjs", module));
}
