import { randomUUID } from "node:crypto";
import { ToolError } from "../../contract/error.ts";
import type { ScriptResult } from "../../contract/script.ts";
import { tooMuchMemory } from "../../workers/channel.ts";
import type { WorkerEnd } from "../../workers/start-worker.ts";
import { Worker, workerProgram } from "../../workers/worker.ts";
import { tooMuchTime } from "../limits.ts";
import { type ScriptRun, stoppedScript } from "../run-script.ts";
import type { ScriptAsks, ScriptService } from "./protocol.ts";

/** A process that runs one program at a time. */
export class ScriptWorker {
  readonly #worker: Worker<ScriptService>;
  readonly #computeMs: number;
  #current: { readonly id: string; readonly run: ScriptRun } | undefined;

  constructor(computeMs: number) {
    this.#computeMs = computeMs;
    const ours: ScriptAsks = {
      call: async (request) => this.#running(request.run).call(request),
      help: async ({ run, name }) => this.#running(run).help(name),
    };
    this.#worker = new Worker({
      program: workerProgram("script-worker", import.meta.url),
      args: [],
      // The engine's own limit of its stack must be reached before that of the process.
      flags: ["--stack-size=3900", "--max-old-space-size=256"],
      failures: { tooSlow: () => stoppedScript("time"), crashed },
      concurrency: 1,
      ours,
    });
  }

  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  async run(program: string, run: ScriptRun, signal: AbortSignal): Promise<ScriptResult> {
    const id = randomUUID();
    this.#current = { id, run };
    try {
      const request = { program, computeMs: this.#computeMs, run: id };
      return run.result(await this.#worker.ask("run", () => request, { about: "the script", signal }));
    } finally {
      await run.end();
      this.#current = undefined;
    }
  }

  close(): Promise<void> {
    return this.#worker.close();
  }

  /** Returns the run with this id. A cancelled program may still make calls when the next one waits for its process. */
  #running(id: unknown): ScriptRun {
    if (this.#current === undefined || this.#current.id !== id)
      throw new ToolError("cancelled", "The script has ended");
    return this.#current.run;
  }
}

function crashed(_: string, { how, stderrTail }: WorkerEnd): ToolError {
  if (how === tooMuchTime) return stoppedScript("time");
  // V8 aborts (SIGABRT) when the heap limit is reached.
  if (how === tooMuchMemory || how === "SIGABRT") return stoppedScript("memory");
  return new ToolError("unavailable", `The engine of scripts crashed (${how})`, {
    hint: "Simplify the program, or call the tools one by one.",
    cause: stderrTail,
  });
}
