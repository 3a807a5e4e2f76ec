import { counted } from "../../../lib/counted.ts";
import { printable } from "../../../lib/printable.ts";
import type { Transcript, TranscriptItem } from "./transcript.ts";

/** For people who read it in an editor or on a page that renders Markdown. */
export function toMarkdown({ session, start, startedAt, turns }: Transcript): string {
  const facts = [
    ["Started", new Date(startedAt).toISOString()],
    ["Model", code(start?.model ?? "not known")],
    ["Dialect", code(start?.dialect ?? "not known")],
    ["Workspace", code(start?.workspace ?? "not known")],
    ...(start?.parent === undefined
      ? []
      : [["Forked from", `${code(start.parent.session)}, after turn ${start.parent.turn}`]]),
  ];
  const sections = [
    `# Session ${code(session)}`,
    facts.map(([name, value]) => `- ${name}: ${value}`).join("\n"),
    ...turns.flatMap(({ number, startedAt, items }) => [
      number === 0 ? "## Before the first turn" : `## Turn ${number}`,
      new Date(startedAt).toISOString(),
      ...items.flatMap(tell),
    ]),
  ];
  return `${sections.join("\n\n")}\n`;
}

function tell(item: TranscriptItem): readonly string[] {
  switch (item.kind) {
    case "user":
      return [`### ${headings[item.source]}`, quote(item.text), ...tellImages(item.images.length)];
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
              ...tellImages(item.answer.images.length),
            ]),
      ];
  }
}

const headings = {
  input: "User",
  "follow-up": "User, following up",
  steering: "User, while the model was at work",
  notice: "Notice to the model",
} as const;

function tellImages(count: number): readonly string[] {
  return count === 0 ? [] : [`(${counted(count, "image")}, left out)`];
}

/**
 * Markdown of others, which ends with the quotation whatever it leaves open. What a page could take for markup of its own, or
 * would fetch from elsewhere, is shown as it stands.
 */
function quote(text: string): string {
  if (/<[a-z/!?]|!\[|(javascript|vbscript|data)\s*:/i.test(text)) return fence(text);
  return text
    .split(/\r\n|\n/)
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}

/** Longer than any in it, so that nothing in it ends it. */
function fence(text: string): string {
  const marks = "`".repeat(Math.max(3, longestRun(text, "`") + 1));
  return `${marks}text\n${text}${text.endsWith("\n") ? "" : "\n"}${marks}`;
}

function code(text: string): string {
  if (text === "") return "(empty)";
  const marks = "`".repeat(longestRun(text, "`") + 1);
  const line = printable(text).replace(/\s+/g, " ");
  return `${marks}${/^`|`$|^ .* $/.test(line) ? ` ${line} ` : line}${marks}`;
}

/** How often a character stands in a row at most. */
function longestRun(text: string, character: string): number {
  let longest = 0;
  let run = 0;
  for (const found of text) {
    run = found === character ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}
