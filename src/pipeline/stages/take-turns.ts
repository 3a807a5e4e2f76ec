import type { ToolAccess } from "../../contract/access.ts";
import type { Outcome, ToolCall } from "../../contract/call.ts";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { untilAborted, whileWaitingFor } from "../../lib/async/abort.ts";
import { ownRealPath } from "../../lib/own-real-path.ts";
import { isWithin } from "../../policy/guard-paths.ts";
import type { Next, Stage } from "../stage.ts";

/**
 * Makes calls wait for each other that write the same real path, or one inside the other. All others run in parallel.
 */
export function takeTurns(environment: Environment): Stage {
  const holders = new Set<{ readonly paths: readonly string[]; readonly done: Promise<void> }>();
  const inTurnOfPaths: Stage = async (call, next) => {
    const paths = await writtenPaths(environment, call);
    if (paths.length === 0) return next(call);
    const before = [...holders].filter((holder) => overlap(holder.paths, paths)).map((holder) => holder.done);
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    const turn = { paths, done };
    holders.add(turn);
    const run: Next = async (own) => {
      if (before.length > 0) await call.recheck?.();
      return next(own);
    };
    const end = () => {
      holders.delete(turn);
      finish();
    };
    return inTurn(call, run, { before, end });
  };
  return (call, next) => (call.accesses.some(isWriting) ? inTurnOfPaths(call, next) : next(call));
}

async function writtenPaths(environment: Environment, call: ToolCall): Promise<string[]> {
  const paths: string[] = [];
  for (const access of call.accesses) {
    if (!isWriting(access)) continue;
    // An unreachable path needs no turn. The tool reports the error if it uses the path.
    const path = await realPathOf(access, environment).catch(ignoreToolError);
    if (path !== undefined) paths.push(path);
  }
  return paths;
}

type Writing = ToolAccess & { readonly kind: "write" | "delete" };

function isWriting(access: ToolAccess): access is Writing {
  return access.kind === "write" || access.kind === "delete";
}

function realPathOf(access: Writing, environment: Environment): Promise<string> {
  const isLinkItself = access.kind === "delete" || access.link === "itself";
  return isLinkItself ? ownRealPath(environment, access.path) : environment.realPath(access.path);
}

function ignoreToolError(error: unknown): undefined {
  if (!(error instanceof ToolError)) throw error;
}

function overlap(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.some((other) => isWithin(one, other) || isWithin(other, one)));
}

/**
 * Runs a call after the calls before it. Its turn ends when all of them and all work that outlives it have ended, even
 * if the call did not wait for them. `signal` ends the waiting.
 */
export async function inTurn(
  call: ToolCall,
  next: Next,
  turn: { readonly before: readonly Promise<unknown>[]; readonly signal?: AbortSignal; end(): void },
): Promise<Outcome> {
  const left = [...turn.before];
  try {
    const signal = turn.signal === undefined ? call.signal : AbortSignal.any([call.signal, turn.signal]);
    await untilAborted(Promise.all(turn.before), signal, whileWaitingFor("its turn"));
    return await next({
      ...call,
      outlivedBy: (work) => {
        left.push(work);
        call.outlivedBy(work);
      },
    });
  } finally {
    void Promise.allSettled(left).then(() => turn.end());
  }
}
