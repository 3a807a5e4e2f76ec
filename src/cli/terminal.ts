import { fstatSync, writeSync } from "node:fs";
import { styleText } from "node:util";
import { ToolError } from "../contract/error.ts";

/** Data for whoever reads us. */
export function print(text: string): void {
  write(1, text);
}

/** Everything else: trouble, progress, remarks. */
export function remark(text: string): void {
  write(2, text);
}

/** Colours what goes to standard output (1) or error (2), where NO_COLOR, FORCE_COLOR and the terminal agree. */
export function paint(descriptor: Descriptor, tone: Tone, text: string): string {
  return mayBeTerminal(descriptor) || process.env.FORCE_COLOR !== undefined
    ? styleText(tone, text, { stream: streamOf(descriptor) })
    : text;
}

/** Whether a person watches it. */
export function isTerminal(descriptor: Descriptor): boolean {
  return mayBeTerminal(descriptor) && streamOf(descriptor).isTTY;
}

/** Whether a person watches it and a line of it can be written again. */
export function canRedraw(descriptor: Descriptor): boolean {
  return isTerminal(descriptor) && process.env.TERM !== "dumb";
}

/** Calls `listener` when nobody reads what we print any more. */
export function onUnread(listener: () => void): void {
  unread.add(listener);
}

export type Tone = "bold" | "dim" | "red" | "green" | "yellow";

/** Standard output or standard error. */
export type Descriptor = 1 | 2;

/** Those that could not take everything at once and now go through Node's stream, which waits. */
const waiting = new Set<Descriptor>();

const unread = new Set<() => void>();

function tellUnread(descriptor: Descriptor): void {
  if (descriptor === 1) for (const listener of unread) listener();
}

/** Writes without `process.stdout`: loading what is behind it costs a sixth of our whole start. */
function write(descriptor: Descriptor, text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    while (!waiting.has(descriptor) && written < bytes.length) {
      written += writeSync(descriptor, bytes, written);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EPIPE") {
      tellUnread(descriptor);
      return;
    }
    if (code !== "EAGAIN") throw cannotWrite(error as Error);
    waiting.add(descriptor);
    streamOf(descriptor).on("error", () => tellUnread(descriptor));
  }
  if (written < bytes.length) streamOf(descriptor).write(bytes.subarray(written));
}

function cannotWrite(cause: Error): ToolError {
  return new ToolError("unavailable", `The answer cannot be written: ${cause.message}`, {
    hint: "Free disk space, or send it somewhere else.",
    cause,
  });
}

/** Cheap to ask; only what passes is asked again through Node's stream. */
function mayBeTerminal(descriptor: Descriptor): boolean {
  return fstatSync(descriptor).isCharacterDevice();
}

function streamOf(descriptor: Descriptor): NodeJS.WriteStream {
  return descriptor === 1 ? process.stdout : process.stderr;
}

/** Rows in columns, two spaces between; the last column is as long as it likes. */
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

/** A unified diff, its lines coloured by what they do. */
export function colourDiff(descriptor: Descriptor, diff: string): string {
  return diff.replace(/^.*$/gm, (line) => {
    if (line.startsWith("+")) return paint(descriptor, "green", line);
    if (line.startsWith("-")) return paint(descriptor, "red", line);
    return line.startsWith("@@") ? paint(descriptor, "dim", line) : line;
  });
}

/** Whether somebody sits there to be asked: never in a pipe, for a program, or in continuous integration. */
export function canAsk(options: ReadonlyMap<string, string>): boolean {
  if (options.has("json") || options.has("no-input") || isContinuousIntegration()) return false;
  return isTerminal(2) && process.stdin.isTTY;
}

function isContinuousIntegration(): boolean {
  const said = process.env.CI?.toLowerCase() ?? "";
  return said !== "" && said !== "0" && said !== "false";
}

/** 2026-11-15 09:30:00, in the person's own time zone. */
export function toLocalTime(milliseconds: number): string {
  const time = new Date(milliseconds);
  const local = new Date(milliseconds - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace("T", " ");
}
