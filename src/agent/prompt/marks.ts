import { printable, printableLine } from "../../lib/printable.ts";
import { plainTerminalText } from "../../lib/terminal-text.ts";

/** The parts of a system prompt that hold words of others. */
export type Mark = "environment" | "project_instructions" | "person_instructions";

/** Words of others between marks that they cannot end. */
export function between(mark: Mark, text: string, path?: string): string {
  const named = path === undefined ? "" : ` path=${JSON.stringify(asLine(path))}`;
  return `<${mark}${named}>\n${withoutMarks(text)}\n</${mark}>`;
}

/** Text as a person would see it: nothing that steers a terminal, nothing that is there and cannot be seen. */
export function asSeen(text: string): string {
  return printable(plainTerminalText(text));
}

/** The same for a name or a title, at most `maxChars` of it. */
export function asLine(text: string, maxChars = 200): string {
  const line = printableLine(text);
  return withoutMarks(line.length > maxChars ? `${line.slice(0, maxChars)}…` : line);
}

function withoutMarks(text: string): string {
  return text.replace(anyMark, "&lt;");
}

const anyMark = /<(?=\s*\/?\s*(?:environment|project_instructions|person_instructions)\b)/gi;
