import { fileURLToPath } from "node:url";
import { ToolError } from "../../contract/error.ts";
import type { ServiceOf } from "../../workers/channel.ts";
import type { WorkerEnd } from "../../workers/start-worker.ts";
import { Worker, type WorkerOptions } from "../../workers/worker.ts";
import { brokeDown, tooSlow } from "./parse-errors.ts";

export type WorkerRole = "reader" | "builder" | "indexer";

export interface CodeWorkerOptions extends Omit<WorkerOptions, "program" | "args" | "flags" | "failures"> {
  readonly role: readonly [WorkerRole, ...string[]];
  /** Whether it is for heavy grammars: see find-language.ts. */
  readonly heavy?: boolean;
}

/** A worker that parses code. */
export class CodeWorker<Theirs extends ServiceOf<Theirs>> extends Worker<Theirs> {
  constructor({ role, heavy = false, ...others }: CodeWorkerOptions) {
    // Keeps V8 from optimizing hot functions. NODE_OPTIONS does not accept this flag, and V8 ignores it at run time.
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

/** Retries in a heavy worker: V8 may crash over a grammar that was not known to be heavy. */
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

/** The program of a worker: beside this file as source, in a folder beside that of this file in a build. */
function workerProgram(module: string = import.meta.url): string {
  return fileURLToPath(new URL(module.endsWith(".ts") ? "main.ts" : "../code-worker/main.cjs", module));
}
