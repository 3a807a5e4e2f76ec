import { printable, printableLine } from "../lib/text/printable.ts";
import type { ProjectLocation } from "../toolcrib/project-files.ts";
import { type BroughtFile, readProjectFilesOf, readUserFilesOf } from "./brought-files.ts";

/** A command of the user or the project: a Markdown file that becomes a message to the model. */
export interface CustomCommand {
  readonly name: string;
  /** One line. */
  readonly description: string;
  /** The arguments, for help: `[file]`. */
  readonly takes: string;
  readonly path: string;
  readonly from: BroughtFile["from"];
  readonly body: string;
}

/** Reads all custom commands. The project's take precedence over the user's of the same name. */
export async function readCommands(
  location: ProjectLocation,
  configDirectory?: string,
): Promise<{ readonly commands: readonly CustomCommand[]; readonly warnings: readonly string[] }> {
  const [project, user] = await Promise.all([
    readProjectFilesOf("command", location),
    readUserFilesOf("command", configDirectory),
  ]);
  const names = new Set(project.files.map(({ name }) => name));
  const files = [...project.files, ...user.files.filter(({ name }) => !names.has(name))];
  return { commands: files.map(toCommand), warnings: [...project.warnings, ...user.warnings] };
}

function toCommand({ name, fields, body, path, from }: BroughtFile): CustomCommand {
  const [firstLine = ""] = body.trim().split("\n");
  const description = printableLine(fields.get("description") ?? firstLine).slice(0, 200);
  const takes = printableLine(fields.get("argument-hint") ?? "").slice(0, 60);
  return { name, description, takes, path, from, body };
}

/**
 * Returns the message of a command: `$ARGUMENTS` is the whole text after the name, `$1` the first word, and so on.
 * Arguments are inserted once and never read as placeholders; text without placeholders gets them at its end. Nothing
 * in the file is run.
 */
export function expandCommand(
  { body }: CustomCommand,
  given: string,
  words: readonly string[] = wordsIn(given),
): string {
  const placeholder = /\$(ARGUMENTS\b|[1-9](?!\d))/g;
  const text = printable(body).trim();
  if (given !== "" && text.search(placeholder) < 0) return `${text}\n\n${given}`;
  return text.replace(placeholder, (_, which: string) =>
    which === "ARGUMENTS" ? given : (words[Number(which) - 1] ?? ""),
  );
}

/** Returns the words of a text; quotes keep words together. */
export function wordsIn(text: string): readonly string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}
