import { join } from "node:path";
import { type CallResult, openToolcrib, type ToolcribOptions } from "../src/toolcrib/index.ts";
import { workDirectory } from "./data/data.ts";
import type { Contender } from "./harness.ts";

/** Toolcrib as everybody uses it: calls through the door and all stages, journal included. */
export async function openSubject(
  options: ToolcribOptions,
): Promise<{ call: (name: string, input: object) => Promise<CallResult>; close: () => Promise<void> }> {
  const toolcrib = await openToolcrib({ ...options, stateDirectory: join(workDirectory, "state") });
  return {
    call: async (name, input) => {
      const result = await toolcrib.call(name, input);
      if (result.isError) throw new Error(`${name}: ${result.content}`);
      return result;
    },
    close: () => toolcrib.close(),
  };
}

/**
 * A contender that makes one call a lap; `answer` tells what was found. A call much quicker than the reference needs
 * several laps in a round: one alone would be measured with cold caches, behind somebody else's slow lap.
 */
export async function callContender<Data>(
  workspace: string,
  name: string,
  input: object,
  answer: (data: Data) => unknown,
  { laps }: { laps?: number } = {},
): Promise<Contender> {
  const subject = await openSubject({ workspace });
  return {
    run: async () => answer((await subject.call(name, input)).data as Data),
    close: subject.close,
    ...(laps && { laps }),
  };
}

/** Loads and compiles the code of a tool: a server is warm, and its code is not the memory that a call needs. */
export async function warmUp(workspace: string, name: string, input: object, calls: number): Promise<void> {
  const subject = await openSubject({ workspace });
  for (let call = 0; call < calls; call++) await subject.call(name, input);
  await subject.close();
}
