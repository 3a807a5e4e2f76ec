import { ToolError } from "../contract/error.ts";
import type { History } from "../contract/history.ts";
import type { Transactions } from "../contract/transaction.ts";

/** Where no journal is kept. */
export function noHistory(): History {
  return { changes: refuse, undo: refuse, setCheckpoint: refuse, checkpoints: refuse };
}

export function noTransactions(): Transactions {
  return { begin: refuse, current: refuse, commit: refuse, rollback: refuse };
}

async function refuse(): Promise<never> {
  throw new ToolError("unavailable", "No journal is kept here: nothing can be undone", {
    hint: "Open the tools with openToolcrib, which keeps one.",
  });
}
