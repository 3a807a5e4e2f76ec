import { printableLine } from "../../lib/printable.ts";
import type { LoggedCall } from "../../toolcrib/workspace-journal.ts";

/**
 * `+1 ~2 -3`, with a mark where that cannot be undone, or not all of it; "" where nothing was changed. Changes are on
 * record before they are made: of a call that failed they are the most that it did.
 */
export function countFiles({ files, undoable, outcome }: LoggedCall): string {
  if (undoable === null) return "";
  const { created, changed, removed } = files;
  const marks = { whole: "", partly: " (partly undoable)", gone: " (no longer undoable)" };
  const most = outcome === "ok" ? "" : " at most";
  return `+${created} ~${changed} -${removed}${most}${marks[undoable]}`;
}

export function tellDuration({ durationMs }: LoggedCall): string {
  return durationMs === null ? "" : `${Math.max(1, Math.round(durationMs))} ms`;
}

/** The verdict and its rule; "" for what simply passed. */
export function tellDecision({ decision }: LoggedCall): string {
  if (decision === null || decision.verdict === "allow") return "";
  const { verdict, answer, rule, source } = decision;
  const words = verdict === "deny" ? "denied" : answer === undefined ? "asked" : `asked, ${answer}`;
  return `  [${words}: ${printableLine(tellRule(rule, source))}]`;
}

/** A rule and where it stands, unless it says so itself: "mode cautious: destructive". */
export function tellRule(rule: string, source: string): string {
  return source === "" || rule.startsWith(source) ? rule : `${rule} (${source})`;
}
