import type { ToolCall } from "../../contract/call.ts";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { Stage } from "../stage.ts";

/** Calls that write the same real path, or one inside the other, wait for each other; all others run in parallel. */
export function takeTurns(environment: Environment): Stage {
  const holders = new Set<Turn>();
  return async (call, next) => {
    const paths = await writtenPaths(environment, call);
    if (paths.length === 0) return next(call);
    const before = [...holders].filter((holder) => overlap(holder.paths, paths)).map((holder) => holder.done);
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    const turn = { paths, done };
    holders.add(turn);
    try {
      await untilAllDone(before, call.signal);
      return await next(call);
    } finally {
      // Whoever queued behind a turn that was given up must still wait for those before it.
      void Promise.all(before).then(() => {
        holders.delete(turn);
        finish();
      });
    }
  };
}

interface Turn {
  readonly paths: readonly string[];
  readonly done: Promise<void>;
}

async function writtenPaths(environment: Environment, call: ToolCall): Promise<string[]> {
  const paths: string[] = [];
  for (const access of call.accesses) {
    if (access.kind === "write" || access.kind === "delete")
      paths.push(await environment.realPath(access.path));
  }
  return paths;
}

function overlap(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.some((other) => isWithin(one, other) || isWithin(other, one)));
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

async function untilAllDone(turns: readonly Promise<void>[], signal: AbortSignal): Promise<void> {
  if (turns.length === 0) return;
  const { promise: cancelled, reject } = Promise.withResolvers<never>();
  const onAbort = () =>
    reject(new ToolError("cancelled", "The call was cancelled while it waited for its turn"));
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    if (signal.aborted) onAbort();
    await Promise.race([Promise.all(turns), cancelled]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
