import { ToolError } from "../contract/error.ts";
import type { Model } from "../models/model.ts";
import { ModelError } from "../models/model-error.ts";
import type { AgentFailure, AgentHappening, TurnResult } from "./event.ts";
import { wordsOf } from "./round/hooks.ts";
import type { Works } from "./works.ts";

export type Ending = Pick<TurnResult, "outcome"> & { readonly error?: AgentFailure };

type Limit = (AgentHappening & { readonly type: "limit" })["limit"];

/** Which limit forbids to ask the model once more. */
export function limitReached({ parts, spending }: Works, rounds: number): Limit | undefined {
  const { limits } = parts;
  if (rounds >= limits.rounds) return "rounds";
  if (spending.usage.input + spending.usage.output >= limits.tokens) return "tokens";
  if (spending.knownCost >= limits.cost) return "cost";
  return parts.parent?.limitReached;
}

export function limited({ parts, emit }: Works, limit: Limit): Ending {
  emit({ type: "limit", limit, allowed: parts.limits[limit] });
  return { outcome: "limit" };
}

export function failed({ emit }: Works, error: unknown): Ending {
  const failure = failureOf(error);
  emit({ type: "error", error: failure });
  return { outcome: "failed", error: failure };
}

function failureOf(error: unknown): AgentFailure {
  if (error instanceof ModelError) {
    return { kind: error.kind, message: error.message, hint: error.hint ?? null };
  }
  const hint = error instanceof ToolError ? (error.hint ?? null) : null;
  return { kind: "internal", message: wordsOf(error), hint };
}

export function inputTooLong({ id, facts }: Model): ModelError {
  return new ModelError(
    "overflow",
    `The input is longer than ${id} reads: ${facts.contextTokens} tokens in all`,
    {
      hint: "Put it into a file and ask about that.",
    },
  );
}

export function filtered(model: string): ModelError {
  return new ModelError("bad-request", `The provider of ${model} withheld its reply`, {
    hint: "Its filter took offence at the question or the answer: put it in other words, or ask another model.",
  });
}

export function cutTooOften(model: string, times: number): ModelError {
  return new ModelError(
    "cut",
    `${times} replies of ${model} in a row were longer than it may write at a time`,
    {
      hint: "Ask for smaller steps, or use a model that writes more.",
    },
  );
}
