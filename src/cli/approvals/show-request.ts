import {
  askerOf,
  briefInput,
  callerOf,
  commandsIn,
  confinementText,
  definitionLines,
  otherInput,
  purposeOf,
  reasonsOf,
  widthsOf,
} from "../../engine/approvals/question-text.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { truncateText } from "../../lib/text/truncate.ts";
import type { Span } from "../../policy/commands/analysis.ts";
import { formatOrigin } from "../../policy/guard-paths.ts";
import type { ShownPart, ShownRequest } from "../../toolcrib/index.ts";
import { inPlace } from "../options.ts";
import { paint, type Tone } from "../terminal.ts";

/**
 * Returns the request in a few lines: who asks for what, and why. Text from files, commands and models is made printable
 * and marked. A command is never cut, because what the user approves is what is shown.
 */
export function showRequest(request: ShownRequest, columns: number, maxLines = 12): string {
  const { preview } = request;
  const [why = "", ...others] = reasonsOf(request);
  const more = others.length === 0 ? "" : ` (and ${others.length} more: e explains)`;
  const input = preview === undefined ? briefInput(request) : undefined;
  const runs = confinementText(request);
  return [
    "",
    ...field("Allow", questionOf(request), columns).map((line) => paint(2, "bold", line)),
    ...commandsOf(request).flatMap(([command, parts]) => {
      const spans = parts.map(({ part }) => part.in!.span);
      const isWhole = spans.some(({ start, end }) => start === 0 && end === command.length);
      return markSegments(command, isWhole ? [] : spans, columns);
    }),
    ...cut(changeOf(request, columns), maxLines),
    ...(input === undefined ? [] : cut(quote(input, columns), maxLines)),
    ...(preview === undefined ? [] : cut(quotePreview(preview, columns), maxLines)),
    ...field("Why", why + more, columns),
    ...(runs === undefined ? [] : field("Runs", runs, columns)),
    "",
  ].join("\n");
}

/** Asks whether to allow the tool, for the subagent and the client that want it. */
function questionOf(request: ShownRequest): string {
  const asker = askerOf(request);
  return `${callerOf(request)}?${asker === undefined ? "" : ` ${asker} asks.`}`;
}

function changeOf(request: ShownRequest, columns: number): readonly string[] {
  const lines = definitionLines(request);
  return lines.length === 0 ? [] : quote(lines.join("\n"), columns);
}

function cut(lines: readonly string[], maxLines: number): readonly string[] {
  const more = lines.length - maxLines;
  return more < 2 ? lines : [...lines.slice(0, maxLines), `  … ${more} more lines (e shows all)`];
}

/** The answers that a request offers besides yes and no. */
export interface Offers {
  /** Whether the caller makes further calls, for which the answer "session" would count. */
  readonly session: boolean;
}

/** Returns everything about the request: risk, rule, sandbox, each part, the whole diff, the rules of the answers. */
export function explainRequest(
  request: ShownRequest,
  columns: number,
  offers: Offers = { session: true },
): string {
  const { risk, reason, rule, source, preview } = request;
  const asker = askerOf(request);
  const runs = confinementText(request);
  const [exact, ...wider] = widthsOf(request);
  return [
    "",
    ...field("Tool", callerOf(request), columns).map((line) => paint(2, "bold", line)),
    ...(asker === undefined ? [] : field("Client", asker, columns)),
    ...field("Risk", risk, columns),
    ...field("Why", reason, columns),
    ...field("Rule", rule.startsWith(source) ? rule : `${rule} (${source})`, columns),
    ...(runs === undefined ? [] : field("Runs", runs, columns)),
    ...commandsOf(request).flatMap(([command, parts]) => showCommand(command, parts, columns)),
    ...changeOf(request, columns),
    ...(preview === undefined ? showInput(request, columns) : showPreview(preview, columns)),
    ...(exact === undefined
      ? ["It can only be allowed once."]
      : [
          offers.session
            ? "Answers s and a add the rule, for this tool:"
            : "Answer a adds the rule, for this tool:",
          ...quoteText(exact, columns),
          ...wider.flatMap((rule) => [offers.session ? "or, for a:" : "or:", ...quoteText(rule, columns)]),
        ]),
    ...(offers.session ? ["Answer m refuses with a message to the model."] : []),
    "",
  ].join("\n");
}

/** Returns the rules that "always" can add, each with the number that chooses it. */
export function showWidths(request: ShownRequest, columns: number): string {
  const heading = `Always allow ${request.tool} ${inPlace(request.target)}:`;
  const rules = widthsOf(request).flatMap((rule, at) =>
    quoteText(rule, columns - 2).map((line, part) =>
      part === 0 ? `  ${at + 1} | ${line.slice(4)}` : `  ${line}`,
    ),
  );
  return [...hang(heading, columns), ...rules, ""].join("\n");
}

/** Returns whether the choices show the only rule that "always" can add, so that nothing is left to choose. */
export function isRuleShown(request: ShownRequest, columns: number): boolean {
  const [rule = "", ...wider] = widthsOf(request);
  return wider.length === 0 && isPlain(rule, columns);
}

/** Returns whether a rule fits on the two lines of the choices and looks like none of them. Other rules are quoted. */
function isPlain(rule: string, columns: number): boolean {
  return rule.length <= columns - 30 && /^[\w ./:=*@~-]+$/.test(rule);
}

/** Returns the answers that a request offers, broken between two of them. */
export function showChoices(
  request: ShownRequest,
  columns: number,
  offers: Offers = { session: true },
): string {
  const [rule] = widthsOf(request);
  const choices = [
    "[y]es once",
    ...(rule === undefined || !offers.session ? [] : ["[s]ession"]),
    ...(rule === undefined
      ? []
      : [`[a]lways${isPlain(rule, columns) ? `: ${rule}` : ""}${isRuleShown(request, columns) ? "" : " …"}`]),
    "[n]o",
    "[e]xplain",
  ];
  const lines = [""];
  for (const choice of choices) {
    const line = lines.at(-1)!;
    if (line !== "" && line.length + choice.length + 3 > columns) lines.push(choice);
    else lines.splice(-1, 1, line === "" ? choice : `${line}  ${choice}`);
  }
  return lines.join("\n");
}

const labelWidth = 7;

function field(label: string, text: string, columns: number): readonly string[] {
  const [first = "", ...rest] = hang(text, columns);
  return [label.padEnd(labelWidth) + first, ...rest];
}

/** Wraps a sentence that may contain foreign text. Its further lines are indented, so that they cannot look like others. */
function hang(text: string, columns: number): readonly string[] {
  const [first = "", ...rest] = wrapWords(printableLine(text), columns - labelWidth);
  return [first, ...rest.map((line) => " ".repeat(labelWidth) + line)];
}

/** Returns the commands of the call, each with its parts that need approval. */
function commandsOf(request: ShownRequest): readonly [string, readonly ShownPart[]][] {
  return commandsIn(request).map((command) => [
    command,
    request.parts.filter(({ part, verdict }) => verdict !== "allow" && part.in?.command === command),
  ]);
}

function showCommand(command: string, parts: readonly ShownPart[], columns: number): readonly string[] {
  const spans = parts.map(({ part }) => part.in!.span);
  const reasons = new Map(
    parts.map((part, index) => [`${spans[index]!.start} ${part.reason}`, part] as const),
  );
  return [
    "Command",
    ...markSegments(command, spans, columns),
    ...[...reasons.values()].flatMap((part) => showReason(command, part, columns)),
  ];
}

function showReason(command: string, part: ShownPart, columns: number): readonly string[] {
  const { start, end } = part.part.in!.span;
  const rule = part.rule ? `: ${part.rule.text} (${formatOrigin(part.rule)})` : "";
  return wrapWords(printableLine(`${command.slice(start, end)}: ${part.reason}${rule}`), columns - 4).map(
    (line, index) => `${index === 0 ? "  - " : "    "}${line}`,
  );
}

function showPreview(preview: string, columns: number): readonly string[] {
  return [isDiff(preview) ? "Changes" : "What", ...quotePreview(preview, columns)];
}

function quotePreview(preview: string, columns: number): readonly string[] {
  const lines = quoteText(preview, columns);
  return isDiff(preview) ? lines.map(colourDiffLine) : lines;
}

function isDiff(preview: string): boolean {
  return /^(---|Binary file) /m.test(preview);
}

/** Returns the input of a tool without a preview, except for the command shown above. */
function showInput(request: ShownRequest, columns: number): readonly string[] {
  const purpose = purposeOf(request);
  const input = otherInput(request);
  return [
    ...(purpose === undefined ? [] : ["Stated purpose", ...quote(purpose, columns)]),
    ...(input === undefined ? [] : ["Input", ...quote(input, columns)]),
  ];
}

function quote(text: string, columns: number): readonly string[] {
  const { text: shown } = truncateText(
    text,
    inputLimits,
    ({ chars }) => `[… ${chars} characters not shown …]`,
  );
  return quoteText(shown, columns);
}

const inputLimits = { maxChars: 8_000, maxLines: 100, keep: "both" } as const;

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
    const shown = character === "\t" ? "    " : printableLine(character);
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
