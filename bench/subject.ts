import { join } from "node:path";
import { type CallResult, openToolcrib, type ToolcribOptions } from "../src/toolcrib/index.ts";
import { workDirectory } from "./data/data.ts";
import type { Contender } from "./harness.ts";

/** Opens Toolcrib as users do: calls go through all stages, including the journal. */
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
 * A contender that makes one call per lap; `answer` extracts the result. A call that is much faster than the
 * reference needs several laps in a round: a single one would be measured with cold caches, after a slow lap of
 * another contender.
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

/** Loads and compiles the code of a tool, because a server is warm and its code is not part of a call's memory. */
export async function warmUp(workspace: string, name: string, input: object, calls: number): Promise<void> {
  const subject = await openSubject({ workspace });
  for (let call = 0; call < calls; call++) await subject.call(name, input);
  await subject.close();
}
