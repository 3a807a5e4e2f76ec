import type { Session } from "../../agent/session.ts";
import type { CustomCommand } from "../../config/commands.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { Toolcrib } from "../../toolcrib/index.ts";
import { remarkWarnings } from "../report.ts";
import { layTable } from "../terminal.ts";

/** Returns the message of a custom command for input like `/name words`; undefined when there is no such command. */
export async function customMessage(crib: Toolcrib, input: string): Promise<string | undefined> {
  if (!/^\/\w/.test(input)) return undefined;
  const { readCommands, expandInput } = await import("../../config/commands.ts");
  const { commands, warnings } = await readCommands(crib.workspace, crib.guard);
  remarkWarnings(warnings);
  const message = expandInput(commands, input);
  return message === input ? undefined : message;
}

/** Lists the custom commands of the user and the project. */
export async function listCustomCommands({ session: { crib } }: WithSession): Promise<string> {
  const { readCommands } = await import("../../config/commands.ts");
  const { commands, warnings } = await readCommands(crib.workspace, crib.guard);
  remarkWarnings(warnings);
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

function toRow({ name, takes, description, from, path }: CustomCommand): readonly string[] {
  return [`/${name} ${takes}`.trim(), description, from === "project" ? "project" : printableLine(path)];
}
