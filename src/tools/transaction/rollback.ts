import * as z from "zod/mini";
import type { RolledBack } from "../../contract/history.ts";
import type { Tool } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { showPath } from "../../lib/text/printable.ts";

export const transactionRollback: Tool<object, RolledBack> = {
  name: "transaction.rollback",
  summary: "Roll back the open transaction, except files that others changed since.",
  risk: "write",
  input: z.strictObject({}),
  limits: { maxChars: 10_000, keep: "both" },
  accesses: () => [{ kind: "write", path: "." }],

  async run(_, { transactions }) {
    const rolledBack = await transactions.rollback();
    return { data: rolledBack, text: describeRollback(rolledBack) };
  },
};

export function describeRollback({ id, paths, left, notes }: RolledBack): string {
  const what = paths.length === 0 ? "nothing was changed" : `${counted(paths.length, "path")} restored`;
  if (left.length === 0) return [`Rolled back ${id}: ${what}.`, ...names(paths), ...notes].join("\n");
  return [
    `Rolled back ${id} except for what others changed since: ${what}.`,
    ...names(paths),
    ...notes,
    "The transaction is still open: fix these files and roll back again, or commit to keep them.",
  ].join("\n");
}

function names(paths: readonly string[]): readonly string[] {
  const more = paths.length - maxNames;
  return [...paths.slice(0, maxNames).map(showPath), ...(more > 0 ? [`… and ${more} more`] : [])];
}

const maxNames = 50;
