import * as z from "zod/mini";
import type { Tool } from "../../contract/tool.ts";
import type { Transaction } from "../../contract/transaction.ts";

export interface TransactionBeginInput {
  readonly name?: string | undefined;
}

/** Opens a transaction. */
export const transactionBegin: Tool<TransactionBeginInput, Transaction> = {
  name: "transaction.begin",
  summary:
    "Begin a transaction: what the following calls change is made at once, but belongs together. End it with " +
    "transaction.commit, or take all of it back with transaction.rollback; transaction.check runs a command and rolls " +
    "back if it fails.",
  risk: "read",
  hints: { readOnly: false, destructive: false },
  input: z.strictObject({
    name: z.optional(
      z.string().check(z.maxLength(80), z.describe("What it is about, for the journal: rename-parser.")),
    ),
  }),
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
