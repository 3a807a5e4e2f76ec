import type {
  OutputRequest,
  Processes,
  ProcessInput,
  ProcessOutput,
  ProcessRequest,
  ProcessStatus,
  WaitCondition,
  Waiting,
} from "../contract/process.ts";
import { type BackgroundProcess, giveInput } from "./background-process.ts";
import type { CallOfProcesses, ProcessesParts } from "./open-processes.ts";
import { type ProcessTable, stopProcess } from "./process-table.ts";
import { settleIn, waitUntil } from "./wait-until.ts";

/** The processes of an instance, for one call. */
export class CallProcesses implements Processes {
  readonly #table: ProcessTable;
  readonly #call: CallOfProcesses;
  readonly #shells: ProcessesParts["shells"];

  constructor(table: ProcessTable, call: CallOfProcesses, { shells }: ProcessesParts) {
    this.#table = table;
    this.#call = call;
    this.#shells = shells;
  }

  async start(request: ProcessRequest, waiting: Waiting): Promise<ProcessStatus> {
    const kept = await this.#table.start(request, this.#call, waiting);
    try {
      await streaming(kept, waiting, 0, () => settleIn(kept, request, waiting));
    } catch (error) {
      // A cancelled start ends the process; after any other failure the caller can still inspect it.
      if (waiting.signal.aborted) await stopProcess(kept);
      throw error;
    }
    return kept.status();
  }

  async list(): Promise<readonly ProcessStatus[]> {
    return this.#table.list();
  }

  async status(name: string): Promise<ProcessStatus> {
    return this.#shell(name) ?? this.#table.get(name).status();
  }

  async output(name: string, request: OutputRequest): Promise<ProcessOutput> {
    return this.#table.get(name).show(request);
  }

  async input(name: string, input: ProcessInput, waiting: Waiting): Promise<ProcessOutput> {
    const kept = this.#table.get(name);
    const { cursor = kept.log.end, maxChars = 20_000 } = input;
    await streaming(kept, waiting, kept.log.end, () => giveInput(kept, input, waiting));
    return kept.show({ cursor, maxChars });
  }

  async wait(name: string, condition: WaitCondition, waiting: Waiting): Promise<ProcessStatus> {
    const kept = this.#table.get(name);
    await streaming(kept, waiting, kept.log.end, () => waitUntil(kept, condition, waiting));
    return kept.status();
  }

  async stop(name: string): Promise<ProcessStatus> {
    const shell = this.#shell(name);
    if (shell !== undefined) {
      await this.#shells?.stop(name);
      return { ...shell, state: "ended", waitsForInput: false, quietMs: 0, remarks: [] };
    }
    const kept = this.#table.get(name);
    if (!kept.hasEnded) await stopProcess(kept);
    return kept.status();
  }

  #shell(name: string): ProcessStatus | undefined {
    return this.#shells?.list().find((shell) => shell.name === name);
  }
}

/** Passes on output from a cursor on while the caller waits. */
async function streaming(
  { log }: BackgroundProcess,
  { output }: Waiting,
  from: number,
  wait: () => Promise<unknown>,
): Promise<void> {
  if (output !== undefined) for (const { stream, text } of log.after(from)) output(stream, text);
  const stop = output && log.listen(output);
  try {
    await wait();
  } finally {
    stop?.();
  }
}
