import type { Outcome, ToolCall } from "../../contract/call.ts";
import type { Environment } from "../../contract/environment.ts";
import type { Blobs } from "../../journal/blobs.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Scanner } from "../../journal/scan/scanner.ts";
import type { RoomTransactions } from "../../journal/transactions/room-transactions.ts";
import { aroundPrograms } from "../around-programs.ts";
import type { Next, Stage } from "../stage.ts";

export interface UndoParts {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly blobs: Blobs;
  readonly scanner: Scanner;
  readonly transactions: RoomTransactions;
}

/**
 * Hands the tool an environment that keeps what it changes, and looks for what commands have changed, so that the call
 * can be undone. What an undo will not bring back is said at once. Tools that only read pay nothing.
 */
export function keepUndo(parts: UndoParts): Stage {
  return (call, next) => (call.tool.risk === "read" ? next(call) : keep(call, next));

  async function keep(call: ToolCall, next: Next): Promise<Outcome> {
    // Loaded by the first change, as what makes it is.
    const { keepingEnvironment } = await import("../../journal/keep/keeping-environment.ts");
    parts.transactions.join(call);
    const environment = keepingEnvironment(call.environment, { ...parts, callId: call.id });
    try {
      const outcome = await run({ ...call, environment }, next);
      return await finish(tell(outcome, environment.notKept));
    } finally {
      if (environment.notKept.length > 0)
        call.account.notCovered = [...(call.account.notCovered ?? []), ...environment.notKept];
    }
  }

  async function run(call: ToolCall, next: Next): Promise<Outcome> {
    if (await mayChangeFiles(call)) return parts.scanner.around(call, next);
    return call.tool.startsPrograms ? aroundPrograms(call, next, parts.scanner) : next(call);
  }
}

/** Whether the call runs commands that are not known to only read. */
async function mayChangeFiles({ accesses }: ToolCall): Promise<boolean> {
  const commands = accesses.filter((access) => access.kind === "execute");
  if (commands.length === 0) return false;
  const { readsOnly } = await import("../../policy/commands/analyse-command.ts");
  // What the words of a command do in a shell that stays depends on what was said there before.
  return commands.some(({ command, cwd, session }) => session !== undefined || !readsOnly(command, cwd));
}

async function finish(outcome: Outcome): Promise<Outcome> {
  if (!outcome.ok || outcome.afterwards === undefined) return outcome;
  const { afterwards, ...done } = outcome;
  const { data, text } = await afterwards();
  return { ...done, data, text: `${done.text}\n${text}`, fullText: `${done.fullText}\n${text}` };
}

function tell(outcome: Outcome, notKept: readonly string[]): Outcome {
  if (!outcome.ok || notKept.length === 0) return outcome;
  const shown = notKept.slice(0, maxShown).join(", ");
  const more = notKept.length > maxShown ? `, and ${notKept.length - maxShown} more` : "";
  const note = `[Undo will not bring back: ${shown}${more}.]`;
  return { ...outcome, text: `${outcome.text}\n${note}`, fullText: `${outcome.fullText}\n${note}` };
}

const maxShown = 5;
