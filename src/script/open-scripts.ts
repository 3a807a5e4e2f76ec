import type { ToolError } from "../contract/error.ts";
import type { Scripts } from "../contract/script.ts";
import { abortError } from "../lib/async/abort.ts";
import { Semaphore } from "../lib/async/semaphore.ts";
import { closed } from "../workers/channel.ts";
import { ScriptEngine } from "./engine-thread.ts";
import { limits } from "./limits.ts";
import { ScriptRun } from "./run-script.ts";

export interface ScriptOptions {
  /** The time in which a program may compute. Default: 10 s. */
  readonly computeMs?: number;
}

export interface OpenScripts extends Scripts {
  close(): Promise<void>;
}

/**
 * Runs programs in threads, one program per thread at a time. The first thread is kept for later programs; others start
 * only while a program waits, for example for approval.
 */
export function openScripts({ computeMs = limits.computeMs }: ScriptOptions = {}): OpenScripts {
  const engines = Array.from({ length: scriptsAtOnce }, () => new ScriptEngine(computeMs));
  const turns = new Semaphore(scriptsAtOnce);
  let isClosed = false;
  return {
    run: async (program, calls, { signal }) => {
      if (isClosed) throw closed();
      const release = await turns.take(signal, whileWaiting);
      try {
        return await engines
          .find((engine) => !engine.isBusy)!
          .run(program, new ScriptRun(calls, signal), signal);
      } finally {
        release();
      }
    },
    close: async () => {
      isClosed = true;
      await Promise.all(engines.map((engine) => engine.close()));
    },
  };
}

const scriptsAtOnce = 4;

function whileWaiting(signal: AbortSignal): ToolError {
  return abortError(signal, "The call was cancelled while other scripts ran");
}
