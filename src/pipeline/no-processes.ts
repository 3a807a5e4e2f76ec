import { ToolError } from "../contract/error.ts";
import type { Processes, Shells } from "../contract/process.ts";

/** Where nothing runs beside the calls. */
export function noProcesses(): Processes {
  return {
    start: refuse,
    list: refuse,
    status: refuse,
    output: refuse,
    input: refuse,
    wait: refuse,
    reach: async () => undefined,
    stop: refuse,
  };
}

export function noShells(): Shells {
  return { run: refuse };
}

async function refuse(): Promise<never> {
  throw new ToolError("unavailable", "Nothing can be left running here", {
    hint: "Open the tools with openToolcrib, and run the command without a session and not in the background.",
  });
}
