import { readFileSync } from "node:fs";
import type { ToolProtocol } from "../../agent/event.ts";
import type { SessionOptions } from "../../agent/session.ts";
import { ToolError } from "../../contract/error.ts";
import type { ReasoningEffort } from "../../models/model.ts";
import type { Arguments } from "../command.ts";
import { placeOf, readInstanceOptions } from "../options.ts";
import { readCount } from "../parse-arguments.ts";

/** The session to resume or fork; without either, a new session starts. */
export type SessionStart = Pick<SessionOptions, "resume" | "fork" | "plan">;

/** Returns the options of a session, except for its model and its approver. */
export function sessionOptions(given: Arguments): Omit<SessionOptions, "model"> {
  const { options } = given;
  return {
    ...placeOf(options),
    ...readInstanceOptions(options),
    dialect: options.get("dialect"),
    protocol: options.get("protocol") as ToolProtocol | undefined,
    reasoning: options.get("reasoning") as ReasoningEffort | undefined,
    instructions: readInstructions(options.get("instructions-file")),
    projectInstructions: !options.has("no-project-instructions"),
    plan: options.has("plan") || undefined,
    limits: { rounds: readCount(given, "max-rounds"), cost: readCost(options.get("max-cost")) },
    allowUnpriced: options.has("allow-unpriced"),
    telemetry: options.has("telemetry"),
  };
}

function readCost(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const cost = /^\$?\d{1,6}(?:\.\d{1,6})?$/.test(text) ? Number(text.replace("$", "")) : 0;
  if (cost > 0) return cost;
  throw new ToolError("invalid-input", `--max-cost must be an amount in US dollars, not "${text}"`, {
    hint: "For example: --max-cost 0.50",
  });
}

function readInstructions(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch (cause) {
    throw new ToolError("invalid-input", `The instructions cannot be read: ${(cause as Error).message}`, {
      hint: "Name a UTF-8 text file: --instructions-file FILE",
      cause,
    });
  }
}

/** Reads `--resume`. */
export async function sessionStartOf(given: Arguments): Promise<SessionStart> {
  const name = given.options.get("resume");
  if (name === undefined) return {};
  const { findSession } = await import("./stored-sessions.ts");
  return { resume: await findSession(given, name) };
}
