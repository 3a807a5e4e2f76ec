import { version } from "../system/version.ts";
import type { Arguments, Command, Example, Option } from "./command.ts";
import { commands } from "./commands/commands.ts";
import { optionsOf } from "./options.ts";
import { exitCodes } from "./report.ts";
import { columnsOf, paint, wrapWords } from "./terminal.ts";

/** Returns the output of `toolcrib --help`. */
export function explainEverything(columns = helpColumns()): string {
  return joinSections([
    `Toolcrib ${version}: safe, undoable tools for coding agents\n`,
    section("Usage", "  toolcrib <command> [options]\n  toolcrib help <command or tool>\n"),
    section(
      "Commands",
      layList(
        commands.map(({ name, summary }) => [name, summary]),
        columns,
      ),
    ),
    section(
      "Examples",
      explainExamples(
        [
          ["toolcrib tour", "watch the tools work here"],
          ["toolcrib run --demo", "watch a recorded session"],
          ['toolcrib run "find out why the tests fail"', "give a model a task"],
          ["toolcrib call file.read --path README.md", "call a tool"],
          ["toolcrib call file.read --help", "show a tool's arguments"],
        ],
        columns,
      ),
    ),
    section(
      "Options",
      layList(
        [
          ["--version, -v", "print the version"],
          ["--help, -h", "show help; also after every command"],
        ],
        columns,
      ),
    ),
    explainExitCodes(columns),
  ]);
}

/** Returns the output of `toolcrib help <command>`; for `call` with a tool, that tool's arguments. */
export async function explainCommand(
  command: Command,
  given: Arguments,
  columns = helpColumns(),
): Promise<string> {
  const [operand] = given.operands;
  if (!command.forwardsFlags || operand === undefined) return explain(command, columns);
  const { explainTool } = await import("./tool-help.ts");
  return explainTool(operand, given.options.get("dialect"), command, columns);
}

function explain(command: Command, columns: number): string {
  const { summary, usage, notes = [], examples } = command;
  const options = optionsOf(command);
  const group = (heading: string, shown: readonly Option[]) =>
    shown.length === 0 ? "" : section(heading, layList(shown.map(explainOption), columns));
  return joinSections([
    `${summary}.\n`,
    section(
      "Usage",
      layList(
        usage.map(([form, meaning = ""]) => [`toolcrib ${form}`, meaning]),
        columns,
      ),
    ),
    ...notes.map((note) => `${wrapWords(note, columns).join("\n")}\n`),
    group(
      "Options",
      options.filter(({ isCommon }) => !isCommon),
    ),
    group(
      "Common options",
      options.filter(({ isCommon }) => isCommon),
    ),
    section("Examples", explainExamples(examples, columns)),
    command.forwardsFlags ? explainExitCodes(columns) : "",
  ]);
}

export function section(heading: string, body: string): string {
  return `${paint(1, "bold", heading)}\n${body}`;
}

export function joinSections(sections: readonly string[]): string {
  return sections.filter((text) => text !== "").join("\n");
}

/** Formats commands with their comments on the same line, or above on a narrow terminal. */
export function explainExamples(examples: readonly Example[], columns = helpColumns()): string {
  const width = Math.max(...examples.map(([command]) => command.length));
  const isWide = examples.every(([, comment]) => width + comment.length + 6 <= columns);
  return examples
    .map(([command, comment]) =>
      isWide ? `  ${command.padEnd(width)}  # ${comment}\n` : `  # ${comment}\n  ${command}\n`,
    )
    .join("");
}

/** Formats terms with descriptions on the same line, or below when a term is too wide. */
export function layList(rows: readonly (readonly [term: string, text: string])[], columns: number): string {
  const longest = Math.max(...rows.map(([term]) => term.length));
  const isStacked = longest > columns * 0.4;
  const left = isStacked ? 6 : longest + 4;
  return rows
    .map(([term, text]) => {
      const lines = wrapWords(text, columns - left).join(`\n${" ".repeat(left)}`);
      const gap = isStacked ? `\n${" ".repeat(left)}` : " ".repeat(left - 2 - term.length);
      return `  ${term}${text === "" ? "" : gap + lines}\n`;
    })
    .join("");
}

/** Returns the width of help, at most 100 columns, because longer lines are hard to read. */
function helpColumns(): number {
  return Math.min(Math.max(columnsOf(1), 40), 100);
}

function explainOption({ name, short, value, choices, summary }: Option): readonly [string, string] {
  const flag = `${short ? `-${short}, ` : ""}--${name}${value ? ` ${value}` : ""}`;
  return [flag, choices && value !== "MODE" ? `${summary}; one of ${choices.join(", ")}` : summary];
}

function explainExitCodes(columns: number): string {
  const rows = exitCodes.map(([code, meaning]) => [String(code).padStart(3), meaning] as const);
  return section("Exit codes", layList(rows, columns));
}
