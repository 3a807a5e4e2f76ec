import type { Arguments, Command, Example, Option } from "./command.ts";
import { commands } from "./commands/commands.ts";
import { optionsOf } from "./options.ts";
import { exitCodes } from "./report.ts";
import { layTable, paint } from "./terminal.ts";
import { version } from "./version.ts";

/** The answer to `toolcrib --help`. */
export function explainEverything(): string {
  return joinSections([
    `Toolcrib ${version}: the tool room for coding agents.\n`,
    section("Usage", "  toolcrib <command> [options]\n  toolcrib help <command or tool>\n"),
    section(
      "Commands",
      layTable(
        commands.map(({ name, summary }) => [name, summary]),
        "  ",
      ),
    ),
    section(
      "Examples",
      explainExamples([
        { command: "toolcrib tour", shows: "see the tools at work on this folder" },
        { command: "toolcrib run --demo", shows: "see a model work with them, offline" },
        { command: 'toolcrib run "find out why the tests fail"', shows: "a task for a model of yours" },
        { command: "toolcrib tools", shows: "what there is" },
        { command: "toolcrib call file.read --path README.md", shows: "call a tool" },
        { command: "toolcrib call file.read --help", shows: "what a tool takes" },
      ]),
    ),
    section(
      "Options",
      layTable(
        [
          ["--version, -v", "print the version"],
          ["--help, -h", "explain; also after every command"],
        ],
        "  ",
      ),
    ),
    explainExitCodes(),
  ]);
}

/** The answer to `toolcrib help <command>`; for `call` with a tool, what that tool takes. */
export async function explainCommand(command: Command, given: Arguments): Promise<string> {
  const [operand] = given.operands;
  if (command.operand !== "tool" || operand === undefined) return explain(command);
  const { explainTool } = await import("./tool-help.ts");
  return explainTool(operand, given.options.get("dialect"), command);
}

function explain(command: Command): string {
  const { summary, usage, notes = [], examples } = command;
  return joinSections([
    `${summary}.\n`,
    section("Usage", usage.map((line) => `  toolcrib ${line}\n`).join("")),
    notes.map((line) => `${line}\n`).join(""),
    section("Options", layTable(optionsOf(command).map(explainOption), "  ")),
    section("Examples", explainExamples(examples)),
    command.operand === "tool" ? explainExitCodes() : "",
  ]);
}

/** A heading and what stands below it. */
export function section(heading: string, body: string): string {
  return `${paint(1, "bold", heading)}\n${body}`;
}

export function joinSections(sections: readonly string[]): string {
  return sections.filter((text) => text !== "").join("\n");
}

export function explainExamples(examples: readonly Example[]): string {
  return layTable(
    examples.map(({ command, shows }) => [command, `# ${shows}`]),
    "  ",
  );
}

function explainOption({ name, short, value, choices, summary }: Option): readonly string[] {
  const flag = `${short ? `-${short}, ` : ""}--${name}${value ? ` ${value}` : ""}`;
  return [flag, choices && value !== "MODE" ? `${summary} (${choices.join(", ")})` : summary];
}

function explainExitCodes(): string {
  return section(
    "Exit codes",
    layTable(
      exitCodes.map(([code, meaning]) => [String(code).padStart(3), meaning]),
      "  ",
    ),
  );
}
