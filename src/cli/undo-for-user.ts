import type { Undone } from "../contract/history.ts";
import { canRedo, describeUndone } from "../lib/text/describe-undone.ts";
import { asFlags } from "./call-journal.ts";

/** Describes the effect of an undo, with the command that reverts it. */
export function undoForUser(undone: Undone, request: Parameters<typeof canRedo>[1]): string {
  const hint = canRedo(undone, request) ? "To redo, run: toolcrib redo\n" : "";
  return `${asFlags(describeUndone(undone, request))}\n${hint}`;
}
