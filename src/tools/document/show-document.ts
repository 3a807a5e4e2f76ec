import type { DocumentContent, DocumentPart } from "../../contract/document.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";

type Shown = Omit<DocumentContent, "images">;

/** Shows the format in the first line, then each part below its anchor, then notes. */
export function showDocument(
  path: string,
  content: Shown,
  { wording }: Pick<ToolContext, "wording">,
): string {
  const { parts } = content;
  // A note about `part` is empty in dialects without it.
  const notes = content.notes.map(wording).filter((note) => note !== "");
  const shown = [
    firstLine(path, content),
    ...parts.map(showPart),
    notes.map((note) => `[Note: ${printableLine(note)}]`).join("\n"),
  ];
  return shown.filter((piece) => piece !== "").join("\n\n");
}

/** Describes how to read on after `text`, of which an answer shows at most `maxChars`. */
export function describeNext(next: string, text: string, maxChars: number): string {
  const part = JSON.stringify(next);
  // Text beyond the limit is only in the stored output.
  const stored = text.length > maxChars ? "The rest of this part is only in the stored output. " : "";
  // Dialects without `part` show only the first sentences.
  return `${stored}There is more. Continue with \`part\`: ${part}.`;
}

function firstLine(path: string, { description, consistsOf, properties }: Shown): string {
  const parts =
    consistsOf === undefined ? [] : [counted(consistsOf.total, consistsOf.one, pluralOf(consistsOf.one))];
  const details = Object.entries(properties).map(
    ([name, value]) => `${shortened(name)}: ${shortened(value)}`,
  );
  return `${printableLine(path)}: ${[description, ...parts].join(", ")}${details.length === 0 ? "" : ` (${details.join("; ")})`}`;
}

function showPart({ anchor, title, text }: DocumentPart): string {
  // A document line that looks like a generated one is marked with a backslash, which Markdown does not show.
  const escaped = text.replaceAll(generatedLines, "\\[");
  if (anchor === "") return escaped;
  const named = title === undefined || title === "" ? anchor : `${anchor}: ${shortened(title)}`;
  return `[${printableLine(named)}]\n${escaped}`;
}

const generatedLines =
  /^\[(?=Note: |There is more\.|The rest of this part |(?:page|slide|section|chapter|cell|row)s? \d)/gm;

function pluralOf(one: string): string {
  return one.endsWith("y") ? `${one.slice(0, -1)}ies` : `${one}s`;
}

/** Shortens a property, because it can have any length. */
function shortened(value: string): string {
  const line = printableLine(value.replaceAll(/\s+/g, " ").trim());
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
