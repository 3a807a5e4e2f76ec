import * as z from "zod/mini";
import type { Transaction } from "../../contract/history.ts";
import type { Tool } from "../../contract/tool.ts";

const input = z.strictObject({
  name: z.optional(z.string().check(z.maxLength(80))),
});

export const transactionBegin: Tool<z.infer<typeof input>, Transaction> = {
  name: "transaction.begin",
  description:
    "Begin a transaction that groups the changes of the following calls. End it with transaction.commit or transaction.rollback.",
  risk: "read",
  hints: { readOnly: false, destructive: false },
  input,
  limits: { maxChars: 1000, keep: "both" },
  accesses: () => [],

  async run({ name }, { transactions }) {
    const transaction = await transactions.begin(name || undefined);
    return {
      data: transaction,
      text: `Began ${transaction.id}. Every change belongs to it until transaction.commit or transaction.rollback.`,
    };
  },
};
