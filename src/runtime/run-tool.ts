import type { ToolCall } from "../contract/call.ts";
import type { Environment } from "../contract/environment.ts";
import type { History } from "../contract/history.ts";
import type { Transactions } from "../contract/transaction.ts";
import { noHistory, noTransactions } from "./no-history.ts";
import { SeenMemory } from "./seen-memory.ts";
import type { Next } from "./stage.ts";

/** What came before a call, as it may see and undo it. */
export interface Past {
  readonly historyFor: (call: ToolCall) => History;
  readonly transactions: { forCall(call: ToolCall): Transactions };
}

const nothingPast: Past = { historyFor: noHistory, transactions: { forCall: noTransactions } };

/** The last step: the tool itself. */
export function runTool(environment: Environment, past: Past = nothingPast): Next {
  const seen = new SeenMemory(environment);
  return async (call) => {
    const output = await call.tool.run(call.input, {
      environment: call.environment,
      seen,
      history: past.historyFor(call),
      transactions: past.transactions.forCall(call),
      signal: call.signal,
      progress: (message) => call.notify({ type: "progress", message }),
      output: (stream, text) => call.notify({ type: "output", stream, text }),
    });
    return {
      ok: true,
      text: output.text,
      fullText: output.text,
      data: output.data,
      images: output.images ?? [],
      ...(output.continuation === undefined ? {} : { continuation: output.continuation }),
      ...(output.afterwards === undefined ? {} : { afterwards: output.afterwards }),
    };
  };
}
