import type { UndoneChanges } from "../contract/history.ts";
import { canRedo, describeUndone } from "../lib/text/describe-undone.ts";
import { asFlags } from "./call-journal.ts";

/** Returns the question before an undo or redo of what these commits contain. */
export function commitQuestion(
  commits: NonNullable<UndoneChanges["commits"]>,
  { redo }: { readonly redo?: boolean | undefined },
): { readonly warning: string; readonly action: string; readonly otherwise: string } {
  const names = commits.map(({ hash, subject }) => `${hash.slice(0, 7)} ${JSON.stringify(subject)}`);
  const [noun, verb] = names.length === 1 ? ["Commit", "contains"] : ["Commits", "contain"];
  const command = redo ? "redo" : "undo";
  const [what, action] = redo ? ["the undone state", "Redo anyway"] : ["these changes", "Undo anyway"];
  return {
    warning: `${noun} ${names.join(", ")} ${verb} ${what}; ${command} changes the files, not the ${noun.toLowerCase()}`,
    action,
    otherwise: `After the session, use: toolcrib ${command} --yes`,
  };
}

/** Describes the effect of an undo, with the command that reverts it. */
export function undoForUser(undone: UndoneChanges, request: Parameters<typeof canRedo>[1]): string {
  const hint = canRedo(undone, request) ? "To redo, run: toolcrib redo\n" : "";
  return `${asFlags(describeUndone(undone, request))}\n${hint}`;
}
