import { counted } from "../../../lib/text/format-quantity.ts";
import { printable } from "../../../lib/text/printable.ts";
import { factsOf, headings, type Transcript, type TranscriptItem } from "./transcript.ts";

export function toMarkdown(transcript: Transcript): string {
  const { session, startedAt, turns } = transcript;
  const facts = [["Started", new Date(startedAt).toISOString()], ...factsOf(transcript, code)];
  const sections = [
    `# Session ${code(session)}`,
    facts.map(([name, value]) => `- ${name}: ${value}`).join("\n"),
    ...turns.flatMap(({ number, startedAt, items }) => [
      number === 0 ? "## Before the first turn" : `## Turn ${number}`,
      new Date(startedAt).toISOString(),
      ...items.flatMap(formatItem),
    ]),
  ];
  return `${sections.join("\n\n")}\n`;
}

function formatItem(item: TranscriptItem): readonly string[] {
  switch (item.kind) {
    case "user":
      return [`### ${headings[item.source]}`, quote(item.text), ...imageNote(item.images.length)];
    case "reasoning":
      return ["### Reasoning", quote(item.text)];
    case "text":
      return [`### ${code(item.model)}`, quote(item.text)];
    case "note":
      return [quote(item.text)];
    case "call":
      return [
        `### Call of ${code(item.name)}`,
        ...item.arguments.flatMap(({ name, text }) =>
          text.includes("\n") ? [`- ${code(name)}:`, fence(text)] : [`- ${code(name)}: ${code(text)}`],
        ),
        ...(item.answer === undefined
          ? ["No answer."]
          : [
              item.answer.isError ? "Failed:" : "Answer:",
              fence(item.answer.text),
              ...imageNote(item.answer.images.length),
            ]),
      ];
  }
}

function imageNote(count: number): readonly string[] {
  return count === 0 ? [] : [`(${counted(count, "image")} omitted)`];
}

/**
 * Quotes foreign Markdown, which then cannot affect the text after it. Text that may be HTML or load something is
 * shown verbatim.
 */
function quote(text: string): string {
  if (/<[a-z/!?]|!\[|(javascript|vbscript|data)\s*:/i.test(text)) return fence(text);
  return text
    .split(/\r\n|\n/)
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}

/** Uses a longer fence than any in the text. */
function fence(text: string): string {
  const marks = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${marks}text\n${text}${text.endsWith("\n") ? "" : "\n"}${marks}`;
}

function code(text: string): string {
  if (text === "") return "(empty)";
  const marks = "`".repeat(longestRun(text) + 1);
  const line = printable(text).replace(/\s+/g, " ");
  return `${marks}${/^`|`$|^ .* $/.test(line) ? ` ${line} ` : line}${marks}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);
}
