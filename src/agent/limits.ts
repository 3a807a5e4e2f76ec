import { ToolError } from "../contract/error.ts";
import type { Sampling } from "../models/model.ts";
import type { AgentEventBody } from "./event.ts";
import type { SessionLimits } from "./session.ts";
import type { SessionCore } from "./session-core.ts";

/** The limits of a session that sets none. */
export const defaultLimits: SessionLimits = {
  rounds: 200,
  turns: Number.POSITIVE_INFINITY,
  tokens: Number.POSITIVE_INFINITY,
  cost: Number.POSITIVE_INFINITY,
  retries: 5,
  retryWaitMs: 60_000,
  silenceMs: 300_000,
  clearTokens: 100_000,
  agentDepth: 1,
  agents: 6,
};

export function checkLimits(given: Partial<SessionLimits> = {}): SessionLimits {
  const limits: Record<string, number> = { ...defaultLimits };
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaultLimits, name)) {
      throw new ToolError("invalid-input", `Unknown limit "${name}"`, {
        hint: `Use one of: ${Object.keys(defaultLimits).join(", ")}.`,
      });
    }
    if (value === undefined) continue;
    if (typeof value !== "number" || !(value >= 0)) {
      throw new ToolError("invalid-input", `The limit "${name}" is not a number of at least 0: ${value}`);
    }
    limits[name] = value;
  }
  return limits as unknown as SessionLimits;
}

/** Refuses unknown settings and values that no provider takes. */
export function checkSampling(given: Sampling = {}): Sampling {
  for (const [name, value] of Object.entries(given)) {
    const check = Object.hasOwn(samplingChecks, name) && samplingChecks[name as keyof Sampling];
    if (!check)
      throw new ToolError("invalid-input", `Unknown sampling option "${name}"`, {
        hint: `Use one of: ${Object.keys(samplingChecks).join(", ")}. The effort is the option reasoning.`,
      });
    const [isValid, wanted] = check;
    if (value === undefined || isValid(value)) continue;
    throw new ToolError("invalid-input", `sampling.${name} must be ${wanted}, not ${JSON.stringify(value)}`);
  }
  return given;
}

type SamplingCheck = readonly [isValid: (value: unknown) => boolean, wanted: string];

const isBetween = (least: number, most: number) => (value: unknown) =>
  typeof value === "number" && value >= least && value <= most;

const samplingChecks: Readonly<Record<keyof Sampling, SamplingCheck>> = {
  temperature: [isBetween(0, 2), "a number from 0 to 2"],
  topP: [isBetween(0, 1), "a number from 0 to 1"],
  maxOutputTokens: [(value) => Number.isSafeInteger(value) && Number(value) > 0, "a whole number above 0"],
  seed: [Number.isSafeInteger, "a whole number"],
  stop: [
    (value) => Array.isArray(value) && value.every((text) => typeof text === "string" && text !== ""),
    "a list of texts",
  ],
};

export type Limit = (AgentEventBody & { readonly type: "limit" })["limit"];

/** Returns the limit that forbids another request to the model, if any. */
export function limitReached(
  { parts, spending }: Pick<SessionCore, "parts" | "spending">,
  rounds: number,
): Limit | undefined {
  const { limits } = parts;
  if (rounds >= limits.rounds) return "rounds";
  if (spending.usage.input + spending.usage.output >= limits.tokens) return "tokens";
  if (spending.knownCost >= limits.cost) return "cost";
  return parts.parent?.limitReached;
}
