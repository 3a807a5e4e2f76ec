import type { Session } from "../../agent/session.ts";
import type { CustomCommand } from "../../config/commands.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { remarkWarnings } from "../report.ts";
import { layTable } from "../terminal.ts";
import { serverPrompts } from "./server-prompts.ts";

/** A command or a skill of the user or the project, or a prompt of an MCP server. As `/name words` it becomes a message. */
interface BroughtCommand {
  readonly name: string;
  /** The arguments, for help: `[file]`. */
  readonly takes: string;
  readonly description: string;
  message(words: string): string | Promise<string>;
}

/** Returns the custom commands and, where no command has the name, the skills; then the prompts of MCP servers. */
export async function broughtCommands(
  session: Session,
  warn: Warn = () => {},
): Promise<readonly BroughtCommand[]> {
  const { expandCommand } = await import("../../config/commands.ts");
  const commands = await customCommands(session, warn);
  const names = new Set(commands.map(({ name }) => name));
  const skills = session.skills.skills.filter(({ name }) => !names.has(name));
  return [
    ...commands.map((command) => ({ ...command, message: (words: string) => expandCommand(command, words) })),
    ...skills.map(({ name, description }) => ({
      name,
      takes: "",
      description,
      message: (words: string) => `Use the skill ${name}.\n\n${words}`.trim(),
    })),
    ...(await serverPrompts(session.toolcrib)),
  ];
}

/** Returns the message for input like `/name words`; undefined when there is no such command or skill. */
export async function customMessage(session: Session, input: string): Promise<string | undefined> {
  const [, name, words = ""] = /^\/(\w[\w.-]*)(?:\s+([\s\S]*))?$/.exec(input.trim()) ?? [];
  if (name === undefined) return undefined;
  const command = (await broughtCommands(session, remarkWarnings)).find((each) => each.name === name);
  return command?.message(words.trim());
}

/** Lists the custom commands of the user and the project. */
export async function listCustomCommands({ session }: WithSession): Promise<string> {
  const commands = await customCommands(session, remarkWarnings);
  if (commands.length === 0) return "There are no custom commands. See docs/skills.md.";
  return layTable(commands.map(toRow), "  ").trimEnd();
}

/** Lists the skills of the user and the project. */
export function listSkills({ session }: WithSession): string {
  const { skills } = session.skills;
  if (skills.length === 0) return "There are no skills. See docs/skills.md.";
  const rows = skills.map(({ name, description, from, path }) => {
    const shown = description.length <= 100 ? description : `${description.slice(0, 100)}…`;
    return [name, shown, from === "project" ? "project" : printableLine(path)];
  });
  return layTable(rows, "  ").trimEnd();
}

interface WithSession {
  readonly session: Session;
}

type Warn = (warnings: readonly string[]) => void;

async function customCommands({ toolcrib: crib }: Session, warn: Warn): Promise<readonly CustomCommand[]> {
  const { readCommands } = await import("../../config/commands.ts");
  const { commands, warnings } = await readCommands(crib.project);
  warn(warnings);
  return commands;
}

function toRow({ name, takes, description, from, path }: CustomCommand): readonly string[] {
  return [`/${name} ${takes}`.trim(), description, from === "project" ? "project" : printableLine(path)];
}
