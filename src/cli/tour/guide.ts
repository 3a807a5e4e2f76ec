import { findTool } from "../../dialects/find-tool.ts";
import { toolcribDialect } from "../../dialects/toolcrib.ts";
import { toCommandLine } from "../../lib/text/shell-quote.ts";
import {
  type CallResult,
  type ErrorCode,
  type Mode,
  openToolcrib,
  type ToolcribOptions,
} from "../../toolcrib/index.ts";
import { callCommand } from "../commands/call.ts";
import { parseArguments } from "../parse-arguments.ts";
import { readInput } from "../read-input.ts";
import { exitCodeOf } from "../report.ts";
import { paint, print } from "../terminal.ts";

/** What to type: in a clone of the repository, npx finds us. */
export const commandName: string = process.argv[1]?.endsWith(".ts") ? "npx toolcrib" : "toolcrib";

/** Where the calls of a part of the tour are made. */
export type Room = Pick<ToolcribOptions, "workspace" | "stateDirectory">;

/** A folder that the tour may change, removed at the end with all that was recorded of it. */
export type OwnRoom = Required<Room>;

/** One call of the tour: what is typed, and how it must end. */
export interface Stop {
  readonly says: string;
  /** The words after `toolcrib call`. */
  readonly words: readonly string[];
  readonly ends: "ok" | "cut" | ErrorCode;
  /** How many lines of the answer to show. */
  readonly lines?: number;
}

/** Shows calls as a person would type them, makes them, and notices when one does not end as told. */
export class Guide {
  #surprises = 0;

  /** Calls that did not end as told. */
  get surprises(): number {
    return this.#surprises;
  }

  chapter(title: string): void {
    print(`\n${paint(1, "bold", title)}\n`);
  }

  async visit(room: Room, { says, words, ends, lines = 6 }: Stop): Promise<CallResult> {
    const result = await call(room, words);
    print(`\n${says}\n${paint(1, "dim", `$ ${commandName} call ${toCommandLine(words)}`)}\n`);
    print(shorten(result.content, lines));
    if (result.error) print(`  (exit code ${exitCodeOf(result.error.code)}: ${result.error.code})\n`);
    const ended = result.error?.code ?? (result.truncated ? "cut" : "ok");
    if (ended !== ends) {
      this.#surprises += 1;
      print(`${paint(1, "red", `  This was to end with "${ends}", not "${ended}".`)}\n`);
    }
    return result;
  }
}

/** The same way from words to a result as `toolcrib call` takes. */
async function call(room: Room, words: readonly string[]): Promise<CallResult> {
  const { options, operands } = parseArguments(words, callCommand);
  const [name = "", ...rest] = operands;
  const input = await readInput(findTool(toolcribDialect.tools, name), rest);
  const crib = await openToolcrib({ ...room, mode: (options.get("mode") ?? "cautious") as Mode });
  try {
    return await crib.call(name, input);
  } finally {
    await crib.close();
  }
}

/** The first lines, and the last one where it says how to get the rest. */
function shorten(content: string, maxLines: number): string {
  const lines = content.trimEnd().split("\n");
  const last = lines.at(-1)!.startsWith("[") ? lines.splice(-1) : [];
  const hidden = lines.length - maxLines;
  const gap = hidden > 0 ? [`… ${hidden} more ${hidden === 1 ? "line" : "lines"}`] : [];
  const shown = [...lines.slice(0, maxLines), ...gap, ...last];
  return shown.map((line) => `  ${cutLine(line)}\n`).join("");
}

function cutLine(line: string): string {
  const characters = [...line];
  return characters.length <= maxLineChars ? line : `${characters.slice(0, maxLineChars - 1).join("")}…`;
}

const maxLineChars = 108;
