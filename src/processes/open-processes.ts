import type { Environment } from "../contract/environment.ts";
import type { Outputs } from "../contract/output.ts";
import type { Processes, ProcessStatus } from "../contract/process.ts";
import { loadOnce } from "../lib/async/load-once.ts";
import type { CallProcesses } from "./call-processes.ts";
import type { Redactor } from "./output-log.ts";
import type { ProcessTable } from "./process-table.ts";

export interface ProcessesParts {
  /** Stores output that is too long for memory. */
  readonly outputs?: Outputs;
  /** Creates a redactor of secrets for one stream. */
  readonly redactor: () => Redactor;
  /** Persistent shells, which are listed and stopped like processes. */
  readonly shells?: {
    list(): readonly ProcessStatus[];
    stop(name: string): Promise<void>;
  };
}

export interface CallOfProcesses {
  readonly environment: Environment;
  /** Default: the instance's own caller. */
  readonly caller?: object | undefined;
}

/** The background processes of an instance. */
export interface BackgroundProcesses {
  /** Returns the processes for one call. Processes that the call starts get its environment, and outlive it. */
  forCall(call: CallOfProcesses): Processes;
  /** Lists running and ended processes and persistent shells, oldest first. */
  list(): Promise<readonly ProcessStatus[]>;
  /** Ends the processes that a caller started. */
  stopOf(caller: object): Promise<void>;
  close(): Promise<void>;
}

/** Opens the background processes of an instance. Loads their code on first use, because most instances start none. */
export function openProcesses(parts: ProcessesParts): BackgroundProcesses {
  let table: ProcessTable | undefined;
  const { load, loaded } = loadOnce(async () => {
    const opened = await loadTable(parts);
    ({ table } = opened);
    return opened;
  });
  return {
    forCall: (call) => {
      const use = async () => (await load()).forCall(call);
      return {
        start: async (...call) => (await use()).start(...call),
        list: async () => (await use()).list(),
        status: async (...call) => (await use()).status(...call),
        output: async (...call) => (await use()).output(...call),
        input: async (...call) => (await use()).input(...call),
        wait: async (...call) => (await use()).wait(...call),
        stop: async (...call) => (await use()).stop(...call),
      };
    },
    list: async () => table?.list() ?? parts.shells?.list() ?? [],
    stopOf: async (caller) => (await loaded())?.table.stopOf(caller),
    close: async () => (await loaded())?.table.close(),
  };
}

interface Loaded {
  readonly table: ProcessTable;
  readonly forCall: (call: CallOfProcesses) => CallProcesses;
}

async function loadTable(parts: ProcessesParts): Promise<Loaded> {
  const [{ ProcessTable }, { CallProcesses }] = await Promise.all([
    import("./process-table.ts"),
    import("./call-processes.ts"),
  ]);
  const table = new ProcessTable(parts);
  return { table, forCall: (call) => new CallProcesses(table, call, parts) };
}
