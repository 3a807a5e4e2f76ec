import {
  type ApprovalChoice,
  type ApprovalView,
  onlyOnce,
  type ViewPart,
} from "../../engine/approvals/approval-view.ts";
import type { Span } from "../../engine/policy/commands/command.ts";
import { printable } from "../../lib/text/printable.ts";
import { paint, type Tone } from "../terminal.ts";

/**
 * Returns a question in a few lines: who asks for what, and why. Text from files, commands and models is marked. A command
 * is never cut, because what the user approves is what is shown.
 */
export function showRequest(view: ApprovalView, columns: number, maxLines = 12): string {
  const parts = view.body.filter(({ isDetail }) => !isDetail);
  const more = view.body.filter(({ label, isDetail }) => label === "Why" && isDetail).length;
  return [
    "",
    ...heading(view, columns),
    ...parts.flatMap((part) => {
      const lines = showPart(
        part,
        columns,
        part.label === "Why" && more > 0 ? ` (and ${more} more: e explains)` : "",
      );
      return part.isQuoted && part.label !== "Command" ? cut(lines, maxLines) : lines;
    }),
    "",
  ].join("\n");
}

/** Returns everything about a question: all reasons, the whole diff, and the rules of the answers. */
export function explainRequest(view: ApprovalView, columns: number): string {
  return [
    "",
    ...heading(view, columns),
    ...field("Risk", view.risk, columns),
    ...view.body.flatMap((part) => [...(part.isQuoted ? [part.label] : []), ...showPart(part, columns)]),
    ...view.choices
      .filter(({ adds }) => adds !== undefined)
      .flatMap((choice) => [
        ...hang(`Answer ${keyOf(choice)}: ${choice.label} ${choice.adds}. It adds:`, columns),
        ...choice.rules.flatMap((rule) => quoteText(rule, columns)),
      ]),
    ...(view.choices.some(({ adds }) => adds !== undefined) ? [] : [onlyOnce]),
    "Answer m refuses with a message to the model.",
    "",
  ].join("\n");
}

function heading({ title, asker }: ApprovalView, columns: number): readonly string[] {
  const question = `${title}?${asker === undefined ? "" : ` ${asker} asks.`}`;
  return field("Allow", question, columns).map((line) => paint(2, "bold", line));
}

function showPart(part: ViewPart, columns: number, more = ""): readonly string[] {
  const { label, text, isQuoted, marks } = part;
  if (!isQuoted) return field(label, text + more, columns);
  if (label === "Command") return markSegments(text, marks, columns);
  const lines = quoteText(text, columns);
  return label === "Changes" ? lines.map(colourDiffLine) : lines;
}

function cut(lines: readonly string[], maxLines: number): readonly string[] {
  const more = lines.length - maxLines;
  return more < 2 ? lines : [...lines.slice(0, maxLines), `  … ${more} more lines (e shows all)`];
}

/** Returns the key that gives an answer. */
function keyOf({ id }: ApprovalChoice): string {
  return id === "once" ? "y" : id.startsWith("always ") ? id.slice(-1) : id[0]!;
}

/** Returns the answer that a key, or its word, gives. */
export function choiceOf({ choices }: ApprovalView, typed: string): ApprovalChoice | undefined {
  const key = typed.trim().toLowerCase();
  return choices.find((choice) => keyOf(choice) === key || (key === "yes" ? "once" : key) === choice.id);
}

/** Returns what each answer adds, in words, and below it the keys. */
export function showChoices({ choices }: ApprovalView, columns: number): string {
  const keysByRule = Map.groupBy(
    choices.filter(({ adds }) => adds !== undefined),
    ({ adds }) => adds!,
  );
  const rules = [...keysByRule].flatMap(([adds, same]) => field(same.map(keyOf).join(", "), adds, columns));
  const keys = choices.map(({ id }) => keyNames[id]);
  const lines = [""];
  for (const key of [...keys, "[e]xplain"]) {
    const line = lines.at(-1)!;
    if (line !== "" && line.length + key.length + 3 > columns) lines.push(key);
    else lines.splice(-1, 1, line === "" ? key : `${line}  ${key}`);
  }
  return [...rules, ...lines].join("\n");
}

const keyNames: Readonly<Record<ApprovalChoice["id"], string>> = {
  once: "[y]es once",
  session: "[s]ession",
  always: "[a]lways",
  "always 2": "[2] always",
  "always 3": "[3] always",
  no: "[n]o",
};

const labelWidth = 7;

function field(label: string, text: string, columns: number): readonly string[] {
  const [first = "", ...rest] = hang(text, columns);
  return [label.padEnd(labelWidth) + first, ...rest];
}

/** Wraps a sentence that may contain foreign text. Its further lines are indented, so that they cannot look like others. */
function hang(text: string, columns: number): readonly string[] {
  const [first = "", ...rest] = wrapWords(text, columns - labelWidth);
  return [first, ...rest.map((line) => " ".repeat(labelWidth) + line)];
}

/** Colours a quoted line of a diff. */
export function colourDiffLine(line: string): string {
  const tone = tones[line[4] ?? ""];
  return tone ? paint(2, tone, line) : line;
}

const tones: { readonly [sign: string]: Tone | undefined } = { "+": "green", "-": "red", "@": "dim" };

/** Returns a command with `^` below the marked segments; every line on the screen starts with the quote mark. */
export function markSegments(command: string, spans: readonly Span[], columns: number): readonly string[] {
  const lines: { text: string; carets: string; width: number }[] = [];
  const breakLine = () => lines.push({ text: "", carets: "", width: 0 });
  breakLine();
  let offset = 0;
  for (const character of command) {
    const start = offset;
    offset += character.length;
    if (character === "\n") {
      breakLine();
      continue;
    }
    const shown = character === "\t" ? "    " : printable(character);
    if (lines.at(-1)!.width + widthOf(shown) > columns - quoteMark.length) breakLine();
    const line = lines.at(-1)!;
    const isMarked = spans.some((span) => span.start <= start && start < span.end);
    line.text += shown;
    line.carets += (isMarked ? "^" : " ").repeat(drawnWidth(shown));
    line.width += widthOf(shown);
  }
  return lines
    .flatMap(({ text, carets }) => [text, ...(carets.trim() === "" ? [] : [carets.trimEnd()])])
    .map((line) => quoteMark + line);
}

/** Returns the width of a character on most terminals. */
function drawnWidth(text: string): number {
  if (/^(?:\p{M}|\u200c|\u200d)$/u.test(text)) return 0;
  return wide.test(text) ? 2 : text.length === 2 ? 1 : text.length;
}

const wide =
  /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]$/u;

/**
 * Quotes foreign text: every line on the screen starts with a mark, so that nothing in it can look like text of
 * Toolcrib.
 */
export function quoteText(text: string, columns: number): readonly string[] {
  return printable(text)
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .flatMap((line) => wrap(line, columns - quoteMark.length))
    .map((line) => `${quoteMark}${line}`);
}

/** Begins every line of foreign text. */
export const quoteMark = "  | ";

/** Breaks a line into pieces that fit the screen, at any character. */
function wrap(line: string, columns: number): readonly string[] {
  const pieces: string[] = [];
  let piece = "";
  let width = 0;
  for (const character of line.replaceAll("\t", "    ")) {
    const more = widthOf(character);
    if (width + more > columns && piece !== "") {
      pieces.push(piece);
      piece = "";
      width = 0;
    }
    piece += character;
    width += more;
  }
  return [...pieces, piece];
}

/** Breaks a sentence between words, and a word only when it does not fit on a line. */
function wrapWords(text: string, columns: number): readonly string[] {
  const lines = [""];
  for (const word of text.split(/(?<= )(?=[^ ])/)) {
    const line = lines.at(-1)! + word;
    if (widthOf(line.trimEnd()) <= columns) lines.splice(-1, 1, line);
    else lines.splice(-1, 1, ...(lines.at(-1) === "" ? [] : lines.slice(-1)), ...wrap(word, columns));
  }
  return lines.map((line) => line.trimEnd());
}

/** Returns an upper bound of a text's width, because terminals differ in the width of non-ASCII characters. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += character < "\u007f" ? 1 : 2;
  return width;
}
