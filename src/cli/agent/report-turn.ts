import type { AgentEvent, AgentFailure, TurnResult } from "../../agent/event.ts";
import { ToolError } from "../../contract/error.ts";
import { ModelError } from "../../models/model-error.ts";
import type { CallFailure } from "../../toolcrib/index.ts";

/** What `run --json` prints: these keys, always all of them. */
export interface TurnReport extends Omit<TurnResult, "calls" | "error"> {
  readonly session: string | null;
  readonly model: string | null;
  readonly error: (Omit<AgentFailure, "kind"> & { readonly kind: string }) | null;
  readonly calls: readonly ReportedCall[];
}

export interface ReportedCall {
  readonly callId: string | null;
  readonly name: string;
  readonly canonical: string;
  readonly input: unknown;
  readonly isError: boolean;
  readonly error: CallFailure | null;
  readonly durationMs: number;
}

/** Collects the calls of a turn, those of subagents, too. */
export class TurnCalls {
  readonly calls: ReportedCall[] = [];
  readonly #inputs = new Map<string, unknown>();

  hear(event: AgentEvent): void {
    if (event.type === "tool-start") this.#inputs.set(`${event.agent} ${event.id}`, event.input);
    if (event.type !== "tool-end") return;
    const { agent, id, callId, name, canonical, isError, error, durationMs } = event;
    const input = this.#inputs.get(`${agent} ${id}`) ?? null;
    this.calls.push({ callId, name, canonical, input, isError, error, durationMs });
  }
}

/** The report of a turn that did not even begin. */
export function failedTurn(thrown: unknown): TurnReport {
  const { message, hint = null } = thrown as { readonly message: string; readonly hint?: string };
  return {
    ...{ session: null, model: null, turn: 0, outcome: "failed", text: "", rounds: 0, calls: [], cost: null },
    error: { kind: kindOf(thrown), message, hint },
    usage: { input: 0, cached: 0, cacheWritten: 0, output: 0, reasoning: 0 },
  };
}

function kindOf(thrown: unknown): string {
  if (thrown instanceof ToolError) return thrown.code;
  return thrown instanceof ModelError ? thrown.kind : "internal";
}
