import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { RolledBack } from "../../contract/history.ts";
import type { Tool } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { showPath } from "../../lib/text/printable.ts";

export const transactionRollback: Tool<object, RolledBack> = {
  name: "transaction.rollback",
  description: "Roll back the open transaction, except files that others changed since.",
  risk: "write",
  input: z.strictObject({}),
  limits: { maxChars: 10_000, keep: "both" },
  accesses: () => [{ kind: "write", path: "." }],

  async run(_, { transactions }) {
    const rolledBack = requireWhole(await transactions.rollback());
    return { data: rolledBack, text: describeRollback(rolledBack) };
  },
};

/** Throws when some paths were not restored: the workspace is then neither as before nor as after the transaction. */
export function requireWhole(rolledBack: RolledBack): RolledBack {
  const { id, paths, left, notes } = rolledBack;
  if (left.length === 0) return rolledBack;
  const message = `${id} was rolled back only in part: ${counted(paths.length, "path")} restored, ${left.length} left alone.`;
  throw new ToolError("stale", [message, ...notes].join("\n"), {
    hint: "The transaction is still open: fix these files and roll back again, or commit to keep them.",
  });
}

export function describeRollback({ id, paths, notes }: RolledBack): string {
  const what = paths.length === 0 ? "nothing was changed" : `${counted(paths.length, "path")} restored`;
  return [`Rolled back ${id}: ${what}.`, ...names(paths), ...notes].join("\n");
}

function names(paths: readonly string[]): readonly string[] {
  const more = paths.length - maxNames;
  return [...paths.slice(0, maxNames).map(showPath), ...(more > 0 ? [`… and ${more} more`] : [])];
}

const maxNames = 50;
