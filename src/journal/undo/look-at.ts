import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { Contents } from "./contents.ts";
import type { Phase } from "./net-changes.ts";
import type { Present } from "./plan-undo.ts";
import type { Reach } from "./select-calls.ts";

export interface LookingDesk {
  readonly environment: Environment;
  readonly contents: Contents;
  readonly reach: Reach;
}

/** Looks at every path that the phases are about. */
export async function lookAt(
  phases: readonly Phase[],
  desk: LookingDesk,
  signal: AbortSignal | undefined,
): Promise<Present> {
  const { contents } = desk;
  const states = new Map<string, ReturnType<Present["state"]>>();
  const names = phases.flatMap(({ nets, move }) => [
    ...nets.map(({ present }) => present),
    move?.presentFrom,
    move?.presentTo,
  ]);
  for (const name of names) {
    if (name === undefined || states.has(name)) continue;
    const state = await stateAt(name, desk, signal);
    states.set(name, state);
    if ("kind" in state) contents.note(name, state);
  }
  return {
    state: (name) => states.get(name) ?? { kind: "nothing" },
    has: (hash) => contents.has(hash),
  };
}

export async function stateAt(
  name: string,
  { environment, reach }: Pick<LookingDesk, "environment" | "reach">,
  signal: AbortSignal | undefined,
): Promise<ReturnType<Present["state"]>> {
  const refusal = reach.refuses?.(name);
  if (refusal !== undefined) return { unreadable: `it ${refusal}, and only a person may undo that` };
  try {
    return await environment.state(name, signal ? { signal } : {});
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === "cancelled" || error.code === "timeout") throw error;
    return { unreadable: error.message };
  }
}
