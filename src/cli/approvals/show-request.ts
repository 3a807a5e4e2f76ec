import { bigintAsText } from "../../lib/json/bigint-as-text.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { bindingNotes } from "../../lib/text/rule-text.ts";
import { truncateText } from "../../lib/text/truncate.ts";
import type { Span } from "../../policy/commands/analysis.ts";
import { formatOrigin } from "../../policy/guard-paths.ts";
import type { ShownPart, ShownRequest } from "../../toolcrib/index.ts";
import { paint, type Tone } from "../terminal.ts";

/** Returns the request as the user reads it. Text from files, commands and models is made printable and marked. */
export function showRequest(request: ShownRequest, columns: number): string {
  const { tool, agent, risk, reason, rule, source, preview, grants, accesses } = request;
  return [
    "",
    ...field("Tool", agent === undefined ? tool : `${tool}, for ${agent}`, columns).map((line) =>
      paint(2, "bold", line),
    ),
    ...field("Risk", risk, columns),
    ...field("Why", reason, columns),
    ...field("Rule", rule.startsWith(source) ? rule : `${rule} (${source})`, columns),
    ...(accesses.some(({ kind }) => kind === "execute")
      ? field("Runs", confinementOf(request), columns)
      : []),
    ...commandsOf(request).flatMap(([command, parts]) => showCommand(command, parts, columns)),
    ...(preview === undefined ? showInput(request, columns) : showPreview(preview, columns)),
    ...(grants.length === 0
      ? ["It can only be allowed once."]
      : [
          "Answers s and a add the rule:",
          ...grants.flatMap((grant) => quoteText(grant, columns)),
          ...bindingNotes(request).flatMap((line) => wrap(printableLine(line), columns)),
        ]),
    "",
  ].join("\n");
}

/** Describes the access that a command has. */
function confinementOf({ sandbox, unconfined, hosts }: ShownRequest): string {
  const access = "it can access every file and host that you can access";
  if (unconfined) return `outside the sandbox, by your rules: ${access}`;
  if (sandbox === "none") return `without a sandbox: ${access}`;
  const network = hosts.includes("*") ? "every host that no rule denies" : hosts.join(", ") || "no host";
  return `in the sandbox (${sandbox}); it can connect to ${network}`;
}

const labelWidth = 7;

function field(label: string, text: string, columns: number): readonly string[] {
  const [first = "", ...rest] = wrap(printableLine(text), columns - labelWidth);
  return [label.padEnd(labelWidth) + first, ...rest.map((line) => " ".repeat(labelWidth) + line)];
}

/** Returns the commands of the call, each with its parts that need approval. */
function commandsOf({ accesses, parts }: ShownRequest): readonly [string, readonly ShownPart[]][] {
  const commands = accesses.flatMap((access) => (access.kind === "execute" ? [access.command] : []));
  return commands.map((command) => [
    command,
    parts.filter(({ part, verdict }) => verdict !== "allow" && part.in?.command === command),
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
  return wrap(printableLine(`${command.slice(start, end)}: ${part.reason}${rule}`), columns - 4).map(
    (line, index) => `${index === 0 ? "  - " : "    "}${line}`,
  );
}

function showPreview(preview: string, columns: number): readonly string[] {
  const isDiff = /^(---|Binary file) /m.test(preview);
  return [
    isDiff ? "Changes" : "What",
    ...quoteText(preview, columns).map((line) => (isDiff ? colourDiffLine(line) : line)),
  ];
}

/** Returns the input of a tool without a preview, except for the command shown above. */
function showInput({ input, accesses }: ShownRequest, columns: number): readonly string[] {
  const commands = new Set(accesses.flatMap((access) => (access.kind === "execute" ? [access.command] : [])));
  const isPurpose = ([name, value]: [string, unknown]) =>
    commands.size > 0 && name === "description" && typeof value === "string";
  const fields = Object.entries(input ?? {}).filter(([, value]) => !commands.has(value));
  const given = fields.filter((field) => !isPurpose(field));
  return [
    ...fields.filter(isPurpose).flatMap(([, value]) => ["Stated purpose", ...quote(value, columns)]),
    ...(given.length === 0
      ? []
      : ["Input", ...quote(JSON.stringify(Object.fromEntries(given), bigintAsText, 2), columns)]),
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

const quoteMark = "  | ";

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

/** Returns an upper bound of a text's width, because terminals differ in the width of non-ASCII characters. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += character < "\u007f" ? 1 : 2;
  return width;
}
