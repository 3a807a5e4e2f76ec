import { printable, printableLine } from "../../lib/text/printable.ts";
import { truncateText } from "../../lib/text/truncate.ts";
import type { Span } from "../../policy/commands/analysis.ts";
import { formatOrigin } from "../../policy/guard-paths.ts";
import type { CommandSegment } from "../../policy/policy.ts";
import type { ShownPart, ShownRequest } from "../../toolcrib/index.ts";
import { paint, type Tone } from "../terminal.ts";

/** What a person reads before answering. Whatever comes from files, commands or models is made visible and marked. */
export function showRequest(request: ShownRequest, columns: number): string {
  const { tool, agent, risk, reason, rule, source, preview, grants, accesses } = request;
  return [
    "",
    ...field("Asked", agent === undefined ? tool : `${tool}, for ${agent}`, columns).map((line) =>
      paint(2, "bold", line),
    ),
    ...field("Risk", risk, columns),
    ...field("Why", reason, columns),
    ...field("Rule", rule.startsWith(source) ? rule : `${rule} (${source})`, columns),
    ...(accesses.some(({ kind }) => kind === "execute") ? field("Runs", placeToRun(request), columns) : []),
    ...commandsOf(request).flatMap(([command, parts]) => showCommand(command, parts, columns)),
    ...(preview === undefined ? showInput(request, columns) : showPreview(preview, columns)),
    ...(grants.length === 0
      ? ["It can be allowed only once."]
      : [
          "To allow it for this session, or always, adds:",
          ...grants.flatMap((grant) => quoteText(grant, columns)),
        ]),
    "",
  ].join("\n");
}

/** What a command could do beyond what is marked in it. */
function placeToRun({ sandbox, unconfined, hosts }: ShownRequest): string {
  const reach = "it reaches every file and host that you can reach";
  if (unconfined) return `outside the sandbox, as your rules say: ${reach}`;
  if (sandbox === "none") return `without a sandbox: ${reach}`;
  const network =
    hosts.length === 0
      ? "no host"
      : hosts.includes("*")
        ? "every host that no rule denies"
        : hosts.join(", ");
  return `in the sandbox (${sandbox}); it reaches ${network}`;
}

const labelWidth = 7;

function field(label: string, text: string, columns: number): readonly string[] {
  const [first = "", ...rest] = wrap(printableLine(text), columns - labelWidth);
  return [label.padEnd(labelWidth) + first, ...rest.map((line) => " ".repeat(labelWidth) + line)];
}

/** Commands of the call, each with the parts of it that are asked. */
function commandsOf({ accesses, parts }: ShownRequest): readonly [string, readonly ShownPart[]][] {
  const commands = accesses.flatMap((access) => (access.kind === "execute" ? [access.command] : []));
  return commands.map((command) => [
    command,
    parts.filter((part) => part.verdict !== "allow" && segmentOf(part)?.command === command),
  ]);
}

function segmentOf({ part }: ShownPart): CommandSegment | undefined {
  return part.in;
}

function showCommand(command: string, parts: readonly ShownPart[], columns: number): readonly string[] {
  const spans = parts.map((part) => segmentOf(part)!.span);
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
  const { start, end } = segmentOf(part)!.span;
  const place = part.rule ? `: ${part.rule.text} (${formatOrigin(part.rule)})` : "";
  return wrap(printableLine(`${command.slice(start, end)}: ${part.reason}${place}`), columns - 4).map(
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

/** What a tool without a preview is given, beyond the command that stands above. */
function showInput({ input, accesses }: ShownRequest, columns: number): readonly string[] {
  const commands = new Set(accesses.flatMap((access) => (access.kind === "execute" ? [access.command] : [])));
  const isPurpose = ([name, value]: [string, unknown]) =>
    commands.size > 0 && name === "description" && typeof value === "string";
  const fields = Object.entries(input ?? {}).filter(([, value]) => !commands.has(value));
  const given = fields.filter((field) => !isPurpose(field));
  return [
    ...fields.filter(isPurpose).flatMap(([, value]) => ["Said to be for", ...quote(value, columns)]),
    ...(given.length === 0
      ? []
      : ["Input", ...quote(JSON.stringify(Object.fromEntries(given), asText, 2), columns)]),
  ];
}

function quote(text: string, columns: number): readonly string[] {
  const { text: shown } = truncateText(
    text,
    inputLimits,
    ({ chars }) => `[… ${chars} characters are not shown …]`,
  );
  return quoteText(shown, columns);
}

/** JSON knows no large integers. */
function asText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}

const inputLimits = { maxChars: 8_000, maxLines: 100, keep: "both" } as const;

/** A line that was quoted, coloured by what it does. */
export function colourDiffLine(line: string): string {
  const tone = tones[line[4] ?? ""];
  return tone ? paint(2, tone, line) : line;
}

const tones: { readonly [sign: string]: Tone | undefined } = { "+": "green", "-": "red", "@": "dim" };

/** A command as it was given, with `^` below the segments that matter; every line of the screen bears our mark. */
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

/** How wide most terminals draw it. */
function drawnWidth(text: string): number {
  if (/^(?:\p{M}|\u200c|\u200d)$/u.test(text)) return 0;
  return wide.test(text) ? 2 : text.length === 2 ? 1 : text.length;
}

const wide =
  /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]$/u;

/**
 * Text of others for a person who decides on it: every line of the screen begins with our mark, so that nothing in it
 * can be taken for words of ours, however long its lines are and whatever they hold.
 */
export function quoteText(text: string, columns: number): readonly string[] {
  return printable(text)
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .flatMap((line) => wrap(line, columns - quoteMark.length))
    .map((line) => `${quoteMark}${line}`);
}

const quoteMark = "  | ";

/** A line cut into pieces that fit the screen. */
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

/** Nobody knows how wide a terminal draws what is not ASCII, but never wider than this. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += character < "\u007f" ? 1 : 2;
  return width;
}
