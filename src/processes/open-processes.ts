import type { Environment } from "../contract/environment.ts";
import type { Outputs } from "../contract/output.ts";
import type { Processes, ProcessStatus } from "../contract/process.ts";
import type { CallProcesses } from "./call-processes.ts";
import type { Redactor } from "./output-log.ts";
import type { ProcessTable } from "./process-table.ts";

export interface ProcessesParts {
  /** Keeps what processes say when it becomes too much to be held. */
  readonly outputs?: Outputs;
  /** Leaves secrets out of what one stream says. */
  readonly redactor: () => Redactor;
  /** Shells that stay are listed and stopped like processes. */
  readonly shells?: {
    list(): readonly ProcessStatus[];
    stop(name: string): Promise<void>;
  };
}

/** The call that uses them. */
export interface CallOfProcesses {
  readonly environment: Environment;
  /** Whose call it is, where several work in the room. */
  readonly caller?: object | undefined;
}

/** What runs beside the calls of a room. */
export interface RoomProcesses {
  /** As one call sees them: what it starts is started with its environment, and outlives it. */
  forCall(call: CallOfProcesses): Processes;
  /** Those that run and those that have ended, oldest first, shells that stay among them. */
  list(): readonly ProcessStatus[];
  /** Ends what somebody started who leaves the room. */
  stopOf(caller: object): Promise<void>;
  /** Ends all of them. */
  close(): Promise<void>;
}

/** Loaded by the first use: most rooms start none. */
export function openProcesses(parts: ProcessesParts): RoomProcesses {
  let loading: Promise<Loaded> | undefined;
  let table: ProcessTable | undefined;
  const load = () => {
    loading ??= loadTable(parts).then((loaded) => {
      ({ table } = loaded);
      return loaded;
    });
    return loading;
  };
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
        reach: async (port) => (loading === undefined ? undefined : (await use()).reach(port)),
        stop: async (...call) => (await use()).stop(...call),
      };
    },
    list: () => table?.list() ?? parts.shells?.list() ?? [],
    stopOf: async (caller) => (await loading)?.table.stopOf(caller),
    close: async () => (await loading)?.table.close(),
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
