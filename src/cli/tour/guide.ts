import { textForUser } from "../../contract/error.ts";
import { findTool } from "../../dialects/find-tool.ts";
import { toolcribDialect } from "../../dialects/toolcrib.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { toCommandLine } from "../../lib/text/shell-quote.ts";
import {
  type CallResult,
  type ErrorCode,
  openToolcrib,
  type PolicyMode,
  type ToolcribOptions,
} from "../../toolcrib/index.ts";
import { callCommand } from "../commands/call.ts";
import { parseArguments } from "../parse-arguments.ts";
import { readInput } from "../read-input.ts";
import { exitCodeOf } from "../report.ts";
import { paint, print, shorten } from "../terminal.ts";

/** The command to type. In a clone of the repository, npx finds it. */
export const commandName: string = process.argv[1]?.endsWith(".ts") ? "npx toolcrib" : "toolcrib";

/** The folders in which the calls of a part of the tour are made. */
export type TourFolders = Pick<ToolcribOptions, "workspace" | "stateDirectory">;

/** A temporary folder that the tour may change, with its own state. */
export type OwnFolders = Required<TourFolders>;

/** Shows calls as a user would type them, makes them, and reports unexpected results. */
export class Guide {
  /** The number of calls that ended differently than expected. */
  surprises = 0;

  chapter(title: string): void {
    print(`\n${paint(1, "bold", title)}\n`);
  }

  /** Makes a call and shows it. `args` are the words after `toolcrib call`; `lines` limits the shown output. */
  async visit(
    folders: TourFolders,
    intro: string,
    args: readonly string[],
    { ends = "ok", lines = 6 }: { readonly ends?: "ok" | "cut" | ErrorCode; readonly lines?: number } = {},
  ): Promise<CallResult> {
    const result = await call(folders, args);
    print(`\n${intro}\n${paint(1, "dim", `$ ${commandName} call ${toCommandLine(args)}`)}\n`);
    print(firstLines(result.error ? describeError(result.error) : result.content, lines));
    if (result.error) print(`  (exit code ${exitCodeOf(result.error.code)}: ${result.error.code})\n`);
    const ended = result.error?.code ?? (result.truncated ? "cut" : "ok");
    if (ended !== ends) {
      this.surprises += 1;
      print(`${paint(1, "red", `  Expected "${ends}", but it ended with "${ended}".`)}\n`);
    }
    return result;
  }
}

/** Parses the words as `toolcrib call` does. */
async function call(folders: TourFolders, args: readonly string[]): Promise<CallResult> {
  const { options, operands } = parseArguments(args, callCommand);
  const [name = "", ...rest] = operands;
  const input = await readInput(findTool(toolcribDialect.tools, name), rest);
  const mode = (options.get("mode") ?? "cautious") as PolicyMode;
  const crib = await openToolcrib({ ...folders, mode, client: { kind: "cli", name: "tour" } });
  try {
    return await crib.call(name, input);
  } finally {
    await crib.close();
  }
}

function describeError(error: NonNullable<CallResult["error"]>): string {
  const { message, hint } = textForUser(error);
  return hint ? `${message}\n${hint}` : message;
}

/** Returns the first lines, and the last one if it says how to get the rest. */
function firstLines(content: string, maxLines: number): string {
  const lines = content.trimEnd().split("\n");
  const last = lines.at(-1)!.startsWith("[") ? lines.splice(-1) : [];
  const hidden = lines.length - maxLines;
  const gap = hidden > 0 ? [`… ${counted(hidden, "more line")}`] : [];
  const shown = [...lines.slice(0, maxLines), ...gap, ...last];
  return shown.map((line) => `  ${shorten(line, 107)}\n`).join("");
}
