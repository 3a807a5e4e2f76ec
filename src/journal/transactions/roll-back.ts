import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { PathGuard } from "../../contract/guard.ts";
import type { RolledBack } from "../../contract/transaction.ts";
import { newIdentifier } from "../../lib/identifier.ts";
import type { Blobs } from "../blobs.ts";
import type { Journal } from "../journal.ts";
import { protecting } from "../undo/protecting.ts";

export interface RollbackParts {
  readonly journal: Journal;
  readonly blobs: Blobs;
  /** The workspace without its guard, as for every undo: see lazyHistory. */
  readonly unguarded: () => Environment;
  readonly session: string;
  readonly guard: PathGuard;
}

/** See RolledBack. */
export type Rollback = Pick<RolledBack, "paths" | "left" | "notes">;

/** Takes back what calls changed, as part of the call that asks; what is changed by that is kept, too. */
export async function rollBack(
  calls: readonly string[],
  { callId, ...parts }: RollbackParts & { readonly callId: string },
): Promise<Rollback> {
  const { JournalHistory } = await import("../undo/history.ts");
  const { RefusedUndo } = await import("../undo/refusals.ts");
  const { keepingEnvironment } = await import("../keep/keeping-environment.ts");
  const environment = keepingEnvironment(parts.unguarded(), { ...parts, callId });
  const refuses = protecting(parts.guard, environment.workspace);
  const reach = { session: parts.session, calls: "workspace", refuses } as const;
  const history = new JournalHistory({ ...parts, environment, callId, reach });
  try {
    const { files, leftAlone, notes } = await history.undo(
      { kind: "calls", ids: calls },
      { skipChanged: true },
    );
    return { paths: files.map(({ path }) => path), left: leftAlone, notes };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    // Nothing was changed at all, or nothing is as it was left, or what it was is lost.
    if (error.code === "not-found")
      return { paths: [], left: [], notes: notBroughtBack(calls, parts.journal) };
    if (error.code !== "stale" && !(error instanceof RefusedUndo)) throw error;
    const changed = parts.journal.changesOf(calls).map(({ path }) => path);
    return { paths: [], left: [...new Set(changed)], notes: [error.message] };
  }
}

/** What calls may have changed although nothing is on record that could be taken back. */
function notBroughtBack(calls: readonly string[], journal: Journal): readonly string[] {
  const lost = calls.flatMap((callId) => journal.find(callId)?.notCovered ?? []);
  return [...new Set(lost)].map((what) => `Not brought back: ${what}.`);
}

/** The same as a call of its own, of the room itself. */
export async function rollBackAside(
  calls: readonly string[],
  parts: RollbackParts,
  why: string,
): Promise<Rollback> {
  const callId = newIdentifier("call");
  const attempt = { callId, tool: "transaction.rollback", input: { why }, startedAt: Date.now() };
  const end = (outcome: "ok" | ToolError["code"], message: string | undefined) =>
    parts.journal.finish(attempt, {
      outcome,
      message,
      outputHandle: undefined,
      durationMs: Date.now() - attempt.startedAt,
      account: {},
    });
  parts.journal.begin(attempt);
  try {
    const rollback = await rollBack(calls, { ...parts, callId });
    end("ok", rollback.notes.join(" ") || undefined);
    return rollback;
  } catch (error) {
    const { code, message } = error instanceof ToolError ? error : new ToolError("internal", String(error));
    end(code, message);
    throw error;
  }
}
