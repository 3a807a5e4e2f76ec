import type { Outcome, ToolCall } from "../../contract/call.ts";
import type { Environment } from "../../contract/environment.ts";
import type { Scanner } from "../../engine/journal/effects/scanner.ts";
import { loadOnce } from "../../lib/async/load-once.ts";
import { overrideEnvironment } from "../../lib/override-environment.ts";
import type { PipelineParts } from "../pipeline.ts";
import type { Next, Stage } from "../stage.ts";

type UndoParts = Pick<PipelineParts, "environment" | "journal" | "blobs" | "scanner" | "transactions">;

/**
 * Makes the call undoable: gives the tool an environment that stores replaced content, and scans for changes by
 * commands. The outcome lists what an undo will not restore. Costs nothing for tools that only read.
 */
export function keepUndo(parts: UndoParts): Stage {
  return (call, next) => (call.tool.risk === "read" ? next(call) : keep(call, next));

  async function keep(call: ToolCall, next: Next): Promise<Outcome> {
    const { keepingEnvironment } = await ofChanges.load();
    parts.transactions.join(call);
    const environment = keepingEnvironment(call.environment, { ...parts, callId: call.id });
    try {
      const outcome = await run({ ...call, environment }, next);
      return await finish(noteUnrestored(outcome, environment.notKept));
    } finally {
      if (environment.notKept.length > 0)
        call.account.notCovered = [...(call.account.notCovered ?? []), ...environment.notKept];
    }
  }

  async function run(call: ToolCall, next: Next): Promise<Outcome> {
    if (mayChangeFiles(call)) return parts.scanner.around(call, next);
    return call.tool.startsPrograms ? aroundPrograms(call, next, parts.scanner) : next(call);
  }
}

/** Loaded with the first change, to keep the start fast. */
const ofChanges = loadOnce(() => import("../../journal/keep/keeping-environment.ts"));

/** Returns whether the call runs a command that can change files of the workspace. */
function mayChangeFiles({ accesses, confinement }: ToolCall): boolean {
  return accesses.some(({ kind }) => kind === "execute") && confinement?.readsOnly !== true;
}

async function finish(outcome: Outcome): Promise<Outcome> {
  if (!outcome.ok || outcome.afterwards === undefined) return outcome;
  const { afterwards, ...done } = outcome;
  const { data, text } = await afterwards();
  return { ...done, data, text: `${done.text}\n${text}`, fullText: `${done.fullText}\n${text}` };
}

function noteUnrestored(outcome: Outcome, notKept: readonly string[]): Outcome {
  if (!outcome.ok || notKept.length === 0) return outcome;
  const shown = notKept.slice(0, maxShown).join(", ");
  const more = notKept.length > maxShown ? `, and ${notKept.length - maxShown} more` : "";
  const note = `[Undo will not restore: ${shown}${more}.]`;
  return { ...outcome, text: `${outcome.text}\n${note}`, fullText: `${outcome.fullText}\n${note}` };
}

const maxShown = 5;

/**
 * Scans for changes by programs that the tool itself chooses. The scan begins before the first program that may change
 * something, so that a call without such programs costs nothing.
 */
async function aroundPrograms(
  call: ToolCall,
  next: Next,
  scanner: Pick<Scanner, "around">,
): Promise<Outcome> {
  const outcome = Promise.withResolvers<Outcome>();
  let begun: Promise<void> | undefined;
  let scanned: Promise<Outcome> | undefined;
  let { outlivedBy } = call;
  const begin = () =>
    new Promise<void>((resolve, reject) => {
      scanned = scanner.around(call, (own) => {
        outlivedBy = own.outlivedBy;
        resolve();
        return outcome.promise;
      });
      scanned.catch(reject);
    });
  const start: Environment["start"] = async (program, options) => {
    if (options.confinement !== "ours" && !options.leavesFiles) {
      begun ??= begin();
      await begun;
    }
    return call.environment.start(program, options);
  };
  const running = next({
    ...call,
    environment: overrideEnvironment(call.environment, { start }),
    outlivedBy: (work) => outlivedBy(work),
  });
  running.then(outcome.resolve, outcome.reject);
  await outcome.promise.catch(() => {});
  return scanned ?? running;
}
