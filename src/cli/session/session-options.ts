import { readFileSync } from "node:fs";
import type { Protocol } from "../../agent/event.ts";
import type { SessionOptions } from "../../agent/session.ts";
import { ToolError } from "../../contract/error.ts";
import type { ReasoningEffort } from "../../models/model.ts";
import type { Mode } from "../../policy/policy.ts";
import { realWorkspace } from "../../system/directories.ts";
import { sandboxWanted } from "../../toolcrib/check-options.ts";
import type { Arguments } from "../command.ts";
import { narrowingGiven, rulesGiven } from "../options.ts";
import { readCount } from "../parse-arguments.ts";

/** What a session begins with: nothing, if neither is said. */
export type Beginning = Pick<SessionOptions, "resume" | "fork">;

/** The session that a command line asks for, but for its model and whom it asks. */
export function sessionOptions(
  given: Arguments,
): Omit<SessionOptions, "model"> & { readonly workspace: string } {
  const { options } = given;
  const dialect = options.get("dialect");
  const rounds = readCount(given, "max-rounds");
  const cost = readCost(options.get("max-cost"));
  return {
    // Who names a folder that is not there hears it at once.
    workspace: realWorkspace(options.get("workspace") ?? process.cwd()),
    mode: (options.get("mode") ?? "cautious") as Mode,
    ...rulesGiven(options),
    ...narrowingGiven(options),
    sandbox: sandboxWanted(options.get("sandbox")),
    ...(dialect !== undefined && { dialect }),
    protocol: options.get("protocol") as Protocol | undefined,
    reasoning: options.get("reasoning") as ReasoningEffort | undefined,
    instructions: readInstructions(options.get("instructions")),
    projectInstructions: !options.has("no-project-instructions"),
    limits: { ...(rounds !== undefined && { rounds }), ...(cost !== undefined && { cost }) },
    telemetry: options.has("telemetry"),
  };
}

function readCost(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const cost = /^\$?\d{1,6}(?:\.\d{1,6})?$/.test(text) ? Number(text.replace("$", "")) : 0;
  if (cost > 0) return cost;
  throw new ToolError("invalid-input", `--max-cost must be an amount in US dollars, not "${text}"`, {
    hint: "For example: --max-cost 0.50.",
  });
}

function readInstructions(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch (cause) {
    throw new ToolError("invalid-input", `The instructions cannot be read: ${(cause as Error).message}`, {
      hint: "--instructions takes a text file in UTF-8.",
      cause,
    });
  }
}

/** What `--resume` asks for. */
export async function beginningOf(given: Arguments): Promise<Beginning> {
  const word = given.options.get("resume");
  if (word === undefined) return {};
  const { findSession } = await import("./stored-sessions.ts");
  return { resume: await findSession(given, word) };
}
