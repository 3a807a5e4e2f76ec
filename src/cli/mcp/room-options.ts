import { instructionsFor } from "../../mcp/server/instructions.ts";
import type { Mode } from "../../policy/policy.ts";
import { realWorkspace } from "../../system/directories.ts";
import { sandboxWanted } from "../../toolcrib/check-options.ts";
import type { ToolcribOptions } from "../../toolcrib/index.ts";
import type { Arguments } from "../command.ts";
import { narrowingGiven, rulesGiven } from "../options.ts";
import { readCount } from "../parse-arguments.ts";

/** The rooms that a command line asks for. */
export function roomOptions(given: Arguments): ToolcribOptions & { readonly workspace: string } {
  const { options } = given;
  const waitForApprovalMs = readCount(given, "approval-wait-ms");
  return {
    // Who names a folder that is not there hears it at once, not at the first call.
    workspace: realWorkspace(options.get("workspace") ?? process.cwd()),
    dialect: options.get("dialect") ?? "toolcrib",
    mode: (options.get("mode") ?? "cautious") as Mode,
    ...rulesGiven(options),
    ...narrowingGiven(options),
    sandbox: sandboxWanted(options.get("sandbox")),
    maxShownTokens,
    keepQuestions: true,
    ...(waitForApprovalMs !== undefined && { waitForApprovalMs }),
  };
}

/** What clients are told of such a room. */
export function instructionsOf({ workspace = process.cwd(), readOnly = false }: ToolcribOptions): string {
  return instructionsFor({ workspace, readOnly });
}

/** Claude Code refuses results above 25 000. */
const maxShownTokens = 22_000;
