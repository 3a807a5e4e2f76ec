import { printable, printableLine } from "../../lib/text/printable.ts";
import { plainTerminalText } from "../../lib/text/terminal-text.ts";

/** The sections of a system prompt that hold foreign text. */
export type Mark = "environment" | "project_instructions" | "skills" | "user_instructions";

/** Encloses foreign text in marks that it cannot close. */
export function between(mark: Mark, text: string, path?: string): string {
  const named = path === undefined ? "" : ` path=${JSON.stringify(asLine(path))}`;
  return `<${mark}${named}>\n${withoutMarks(text)}\n</${mark}>`;
}

/** Text without terminal control sequences and invisible characters. */
export function asSeen(text: string): string {
  return printable(plainTerminalText(text));
}

/** Shows a name or a title in one line of at most `maxChars`, without invisible characters and marks. */
export function asLine(text: string, maxChars = 200): string {
  const line = printableLine(text);
  return withoutMarks(line.length > maxChars ? `${line.slice(0, maxChars)}…` : line);
}

function withoutMarks(text: string): string {
  return text.replace(anyMark, "&lt;");
}

const anyMark = /<(?=\s*\/?\s*(?:environment|project_instructions|skills|user_instructions)\b)/gi;
