import { sandboxWanted } from "../../../door/sandbox-wanted.ts";
import type { Mode } from "../../../guardian/mode.ts";
import { instructionsFor } from "../../../mcp/server/instructions.ts";
import type { ToolcribOptions } from "../../../toolcrib.ts";
import type { Arguments } from "../command.ts";
import { narrowingGiven, rulesGiven } from "../options.ts";

/** The rooms that a command line asks for. */
export function roomOptions({ options }: Arguments): ToolcribOptions & { readonly workspace: string } {
  return {
    workspace: options.get("workspace") ?? process.cwd(),
    dialect: options.get("dialect") ?? "toolcrib",
    mode: (options.get("mode") ?? "cautious") as Mode,
    ...rulesGiven(options),
    ...narrowingGiven(options),
    sandbox: sandboxWanted(options.get("sandbox")),
    maxShownTokens,
    keepQuestions: true,
  };
}

/** What clients are told of such a room. */
export function instructionsOf({ workspace = process.cwd(), readOnly = false }: ToolcribOptions): string {
  return instructionsFor({ workspace, readOnly });
}

/** Claude Code refuses results above 25 000. */
const maxShownTokens = 22_000;
