import * as z from "zod/mini";
import type { Transaction } from "../../contract/history.ts";
import type { Tool } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";

export const transactionCommit: Tool<object, Transaction> = {
  name: "transaction.commit",
  description: "Commit the open transaction. Its changes can be undone as one.",
  risk: "read",
  hints: { readOnly: false, destructive: false, idempotent: true },
  input: z.strictObject({}),
  limits: { maxChars: 1000, keep: "both" },
  accesses: () => [],

  async run(_, { transactions }) {
    const transaction = await transactions.commit();
    const { id, calls } = transaction;
    return {
      data: transaction,
      text: `Committed ${id} with ${counted(calls.length, "call")}. To undo it: journal.undo with \`call: "${id}"\`.`,
    };
  },
};
