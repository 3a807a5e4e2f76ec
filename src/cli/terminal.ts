import { fstatSync, statSync, writeSync } from "node:fs";
import { styleText } from "node:util";
import { ToolError } from "../contract/error.ts";

/** Writes a text for the user to standard output. */
export function print(text: string): void {
  write(1, forLocale(text));
}

/** Writes data to standard output, with the same bytes in every locale. */
export function printExact(text: string): void {
  write(1, text);
}

/** Writes to standard error: errors, progress, warnings. */
export function remark(text: string): void {
  write(2, forLocale(text));
}

/**
 * Writes a text that the user is about to approve to standard error. An ASCII locale shows other characters as
 * `\u{2212}`, because a look-alike would hide the real text of the command.
 */
export function remarkExactly(text: string): void {
  const shown = isAsciiLocale()
    ? text.replace(/[^\p{ASCII}]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
    : text;
  write(2, shown);
}

/** Returns the text in ASCII when the locale is C or POSIX. Characters without an ASCII form stay. */
export function forLocale(text: string): string {
  if (!isAsciiLocale()) return text;
  return text.replace(/[\u00a0-\u2fff]/g, (character) => asciiForms[character] ?? boxForm(character));
}

export function isAsciiLocale(): boolean {
  const { LC_ALL, LC_CTYPE, LANG } = process.env;
  return /^(?:C|POSIX)$/.test(LC_ALL || LC_CTYPE || LANG || "");
}

const asciiForms: Readonly<Record<string, string>> = {
  ...{ "…": "...", "—": "-", "–": "-", "−": "-", "·": "-", "•": "*", "“": '"', "”": '"', "„": '"' },
  ...{ "‘": "'", "’": "'", "✓": "ok", "✔": "ok", "✗": "x", "✘": "x", "×": "x", "→": "->", "←": "<-" },
  ...{
    "⏎": "\\n",
    "≤": "<=",
    "≥": ">=",
    "≈": "~",
    "\u00a0": " ",
    "\u202f": " ",
    "▶": ">",
    "▲": "^",
    "▼": "v",
  },
};

/** Replaces box-drawing characters: lines become `-` and `|`, corners and crossings `+`. */
function boxForm(character: string): string {
  if (!/[\u2500-\u257f]/.test(character)) return character;
  if (/[─━┄┅┈┉╌╍═╴╶╸╺╼╾]/.test(character)) return "-";
  return /[│┃┆┇┊┋╎╏║╵╷╹╻╽╿]/.test(character) ? "|" : "+";
}

/** Returns the number of columns of the terminal; without one, COLUMNS or 80. */
export function columnsOf(descriptor: Descriptor): number {
  const known = isTerminal(descriptor) ? streamOf(descriptor).columns : Number(process.env.COLUMNS);
  return known || 80;
}

/** Breaks text at spaces into lines of at most `columns`. A longer word gets a separate line. */
export function wrapWords(text: string, columns: number): readonly string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line !== "" && line.length + word.length >= columns) lines.push(word);
    else lines.splice(-1, 1, line === "" ? word : `${line} ${word}`);
  }
  return lines;
}

/** Colours text for standard output (1) or error (2), if NO_COLOR, FORCE_COLOR and the terminal allow it. */
export function paint(descriptor: Descriptor, tone: Tone, text: string): string {
  return mayBeTerminal(descriptor) || process.env.FORCE_COLOR !== undefined
    ? styleText(tone, text, { stream: streamOf(descriptor) })
    : text;
}

export function isTerminal(descriptor: Descriptor): boolean {
  return mayBeTerminal(descriptor) && streamOf(descriptor).isTTY;
}

/** Returns whether an output is a terminal that can rewrite a line. */
export function canRedraw(descriptor: Descriptor): boolean {
  return captured === undefined && isTerminal(descriptor) && process.env.TERM !== "dumb";
}

/** Passes all output to `show` while a screen owns the terminal. Returns a function that ends this. */
export function captureOutput(show: (text: string) => void): () => void {
  captured = show;
  return () => {
    captured = undefined;
  };
}

let captured: ((text: string) => void) | undefined;

/** Moves to the first column and erases the line. */
export const startOfLine = "\r\u001b[2K";

/** Calls `listener` when the reader of standard output has closed it. */
export function onOutputClosed(listener: () => void): void {
  closedListeners.add(listener);
}

export type Tone = "bold" | "dim" | "red" | "green" | "yellow";

/** Standard output or standard error. */
export type Descriptor = 1 | 2;

/** Descriptors that did not take everything at once. Node's stream buffers for them from then on. */
const buffered = new Set<Descriptor>();

/** Returns whether everything was written at once, so that the process may exit. */
export function isAllWritten(): boolean {
  return buffered.size === 0;
}

const closedListeners = new Set<() => void>();

function emitClosed(descriptor: Descriptor): void {
  if (descriptor === 1) for (const listener of closedListeners) listener();
}

/** Writes without `process.stdout`, which takes a sixth of the start time to load. */
function write(descriptor: Descriptor, text: string): void {
  if (captured) {
    captured(text);
    return;
  }
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    while (!buffered.has(descriptor) && written < bytes.length) {
      written += writeSync(descriptor, bytes, written);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EPIPE") {
      emitClosed(descriptor);
      return;
    }
    if (code !== "EAGAIN") throw cannotWrite(error as Error);
    buffered.add(descriptor);
    streamOf(descriptor).on("error", () => emitClosed(descriptor));
  }
  if (written < bytes.length) streamOf(descriptor).write(bytes.subarray(written));
}

function cannotWrite(cause: Error): ToolError {
  return new ToolError("unavailable", `The output cannot be written: ${cause.message}`, {
    hint: "Free disk space, or redirect the output to another file.",
    cause,
  });
}

/** Checks cheaply, before Node's stream is loaded, whether an output may be a terminal. */
function mayBeTerminal(descriptor: Descriptor): boolean {
  const stats = fstatSync(descriptor);
  return stats.isCharacterDevice() && stats.rdev !== statSync("/dev/null", { throwIfNoEntry: false })?.rdev;
}

function streamOf(descriptor: Descriptor): NodeJS.WriteStream {
  return descriptor === 1 ? process.stdout : process.stderr;
}

/** Formats rows in columns with two spaces between them. The last column is not padded or cut. */
export function layTable(rows: readonly (readonly string[])[], indent = ""): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return rows
    .map((row) => {
      const cells = row.map((cell, column) =>
        column < row.length - 1 ? cell.padEnd(widths[column]!) : cell,
      );
      return `${indent}${cells.join("  ").trimEnd()}\n`;
    })
    .join("");
}

/** Shortens a text to this many characters, with "…" at the end. */
export function shorten(text: string, maxChars: number): string {
  const characters = [...text];
  return characters.length <= maxChars ? text : `${characters.slice(0, maxChars).join("")}…`;
}

export function colourDiff(descriptor: Descriptor, diff: string): string {
  return diff.replace(/^.*$/gm, (line) => {
    if (line.startsWith("+")) return paint(descriptor, "green", line);
    if (line.startsWith("-")) return paint(descriptor, "red", line);
    return line.startsWith("@@") ? paint(descriptor, "dim", line) : line;
  });
}

/** Returns whether the user can be asked: not in a pipe, with --json or --no-input, or in continuous integration. */
export function canAsk(options: ReadonlyMap<string, string>): boolean {
  if (options.has("json") || options.has("no-input") || isContinuousIntegration()) return false;
  return isTerminal(2) && process.stdin.isTTY;
}

function isContinuousIntegration(): boolean {
  return !/^(?:|0|false)$/i.test(process.env.CI ?? "");
}

/** Formats a time in the user's time zone: 2026-11-15 09:30:00. */
export function toLocalTime(milliseconds: number): string {
  const time = new Date(milliseconds);
  const local = new Date(milliseconds - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace("T", " ");
}
