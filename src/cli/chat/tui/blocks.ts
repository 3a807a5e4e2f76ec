import { Markdown, Marked, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { AgentEvent } from "../../../agent/event.ts";
import { isRecord } from "../../../lib/json/is-record.ts";
import { counted } from "../../../lib/text/format-quantity.ts";
import { printable } from "../../../lib/text/printable.ts";
import { plainTerminalText } from "../../../lib/text/terminal-text.ts";
import { colourDiffLine, quoteText } from "../../approvals/show-request.ts";
import { callEndLine, diffOf, formatTime } from "../../session/call-lines.ts";
import { InnerCalls } from "../../session/inner-calls.ts";
import { markdownTheme, tones } from "./theme.ts";
import type { Block, Transcript } from "./transcript.ts";

type ToolEnd = Extract<AgentEvent, { type: "tool-end" }>;

/** Lines of Toolcrib or of the user. Of the control sequences in them only colours count. */
export class LinesBlock implements Block {
  readonly kind = "other";
  readonly isDone = true;
  readonly #text: string;
  readonly #cache = new LineCache();

  constructor(text: string) {
    this.#text = withColoursOnly(text);
  }

  render(width: number): string[] {
    const lines = this.#text === "" ? [] : this.#text.split("\n");
    return this.#cache.get(width, () => lines.flatMap((line) => wrapLine(line, width)));
  }

  invalidate(): void {
    this.#cache.clear();
  }
}

/** The output of a command of the user: its last lines while it runs, then the whole. */
export class OutputBlock implements Block {
  readonly kind = "other";
  #tail = "";
  #whole: LinesBlock | undefined;

  get isDone(): boolean {
    return this.#whole !== undefined;
  }

  add(text: string): void {
    this.#tail = (this.#tail + text).slice(-maxTailChars);
  }

  finish(output: string): void {
    this.#whole = new LinesBlock(output);
  }

  render(width: number): string[] {
    return this.#whole?.render(width) ?? tailLines(this.#tail, maxOutputLines, width);
  }

  invalidate(): void {
    this.#whole?.invalidate();
  }
}

/** The last lines of a running command's output. */
function tailLines(output: string, most: number, width: number): string[] {
  if (output === "") return [];
  const lines = plainTerminalText(output).trimEnd().split("\n").slice(-most);
  return lines.map((line) => tones.dim(truncateToWidth(`  ${printable(line)}`, width, "…")));
}

/** Returns the block of a message of the user: the beginning of a long one, marked at the left. */
export function userBlock(text: string): Block {
  const lines = printable(text).split("\n");
  const shown = lines.slice(0, maxUserLines).map((line) => line.slice(0, maxUserChars));
  const more = lines.length - shown.length;
  const marked = shown.map((line, index) => `${index === 0 ? tones.cyan("❯") : " "} ${tones.bold(line)}`);
  return new LinesBlock([...marked, ...(more > 0 ? [`  … ${counted(more, "more line")}`] : [])].join("\n"));
}

const maxUserLines = 12;
const maxUserChars = 2_000;

class MarkdownBlock implements Block {
  readonly kind = "other";
  readonly #markdown = new Markdown("", 0, 0, markdownTheme, undefined, { renderLatex: false });
  isDone = false;

  setText(text: string): void {
    this.#markdown.setText(text);
  }

  render(width: number): string[] {
    const lines = this.#markdown.render(width);
    const end = lines.findLastIndex((line) => line.trim() !== "");
    return lines.slice(0, end + 1);
  }

  invalidate(): void {
    this.#markdown.invalidate();
  }
}

/**
 * The text of a reply as it arrives. Each finished paragraph, list or code block becomes a block of its own, so that
 * only the last one is parsed again.
 */
export class StreamedText {
  readonly #transcript: Transcript;
  #block: MarkdownBlock | undefined;
  #text = "";
  /** Half of a line end or of a surrogate pair. */
  #held = "";

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  add(piece: string): void {
    const text = this.#held + piece;
    this.#held = /[\r\ud800-\udbff]$/.exec(text)?.[0] ?? "";
    this.#append(text.slice(0, text.length - this.#held.length));
  }

  end(): void {
    if (this.#held !== "") this.#append(this.#held);
    if (this.#block) this.#block.isDone = true;
    this.#block = undefined;
    this.#text = "";
    this.#held = "";
  }

  #append(text: string): void {
    this.#text += printable(text).replaceAll("\r\n", "\n").replaceAll("\t", "    ");
    if (text.includes("\n")) this.#split();
    this.#show(this.#text);
  }

  #split(): void {
    const tokens = parser.lexer(this.#text);
    const last = tokens.findLastIndex(({ type }) => type !== "space");
    for (const { type, raw } of tokens.slice(0, Math.max(0, last))) {
      if (!this.#text.startsWith(raw)) return;
      if (type !== "space") {
        this.#show(raw);
        this.#block!.isDone = true;
        this.#block = undefined;
      }
      this.#text = this.#text.slice(raw.length);
    }
  }

  #show(text: string): void {
    if (text.trim() === "") return;
    if (this.#block === undefined) {
      this.#block = new MarkdownBlock();
      this.#transcript.add(this.#block);
    }
    this.#block.setText(text);
  }
}

const parser = new Marked();

/** A call: one line, with the last output lines while it runs. It unfolds to its arguments, output and diff. */
export class CallBlock implements Block {
  readonly kind = "call";
  readonly #what: string;
  readonly #input: unknown;
  readonly #cache = new LineCache();
  readonly #inner = new InnerCalls();
  #tail = "";
  #end: ToolEnd | undefined;
  #isUnfolded: boolean;

  constructor(call: { readonly what: string; readonly input: unknown; readonly isUnfolded: boolean }) {
    this.#what = call.what;
    this.#input = call.input;
    this.#isUnfolded = call.isUnfolded;
  }

  get isDone(): boolean {
    return this.#end !== undefined;
  }

  get isUnfolded(): boolean {
    return this.#isUnfolded;
  }

  unfold(isUnfolded: boolean): void {
    this.#isUnfolded = isUnfolded;
    this.invalidate();
  }

  addOutput(text: string): void {
    this.#tail = (this.#tail + text).slice(-maxTailChars);
    this.invalidate();
  }

  /** Changes the calls that it makes, which are shown below it. */
  changeInner(change: (inner: InnerCalls) => void): void {
    change(this.#inner);
    this.invalidate();
  }

  finish(end: ToolEnd): void {
    this.#end = end;
    this.invalidate();
  }

  render(width: number): string[] {
    return this.#cache.get(width, () => [
      this.#head(width),
      ...this.#inner.lines().map((line) => tones.dim(truncateToWidth(`  ${line}`, width, "…"))),
      ...this.#below(width),
    ]);
  }

  /** The arguments, the output and the diff. */
  details(width: number): string[] {
    const output = this.#end?.shown ?? this.#tail;
    const diff = diffOf(this.#end?.data);
    return [
      ...quoted(showInput(this.#input), width).map(tones.dim),
      ...(diff === "" ? quoted(plainTerminalText(output), width) : quoted(diff, width).map(colourDiffLine)),
    ];
  }

  invalidate(): void {
    this.#cache.clear();
  }

  #head(width: number): string {
    const end = this.#end;
    if (end === undefined) return truncateToWidth(`${tones.yellow("●")} ${this.#what}`, width, "…");
    const outcome = callEndLine(end);
    const time = end.durationMs < 1000 ? "" : formatTime(end.durationMs);
    const tail = [outcome, time].filter((part) => part !== "").join("  ");
    // Both get half of a narrow screen, and what the other leaves free.
    const free = width - 4 - visibleWidth(this.#what);
    const shownTail = truncateToWidth(tail, Math.max(Math.floor(width / 2) - 4, free), "…");
    const head = truncateToWidth(this.#what, Math.max(1, width - 4 - visibleWidth(shownTail)), "…");
    const mark = (end.isError ? tones.red : tones.green)("●");
    const line = `${mark} ${head}  ${(end.isError ? tones.red : tones.dim)(shownTail)}`;
    return truncateToWidth(line, width, "…");
  }

  #below(width: number): string[] {
    if (this.#isUnfolded) return this.details(width);
    return this.#end === undefined ? tailLines(this.#tail, maxTailLines, width) : [];
  }
}

/** The arguments of a call, one per line; text as it is. */
function showInput(input: unknown): string {
  if (typeof input === "string") return input;
  if (!isRecord(input)) return input === undefined ? "" : JSON.stringify(input);
  const fields = Object.entries(input).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${name}: ${text?.includes("\n") ? `\n${text}` : text}`;
  });
  return fields.join("\n");
}

function quoted(text: string, width: number): string[] {
  if (text.trim() === "") return [];
  const lines = quoteText(text.slice(0, maxDetailChars), width);
  const shown = lines.slice(0, maxDetailLines);
  const hidden = lines.length - shown.length;
  return hidden > 0 ? [...shown, `  … ${counted(hidden, "more line")}`] : [...shown];
}

const maxTailLines = 5;
const maxOutputLines = 15;
const maxTailChars = 4_000;
const maxDetailLines = 200;
const maxDetailChars = 64 * 1024;

/** The lines of a block for the width of the screen. */
class LineCache {
  #width = 0;
  #lines: string[] | undefined;

  get(width: number, make: () => string[]): string[] {
    if (this.#lines === undefined || this.#width !== width) this.#lines = make();
    this.#width = width;
    return this.#lines;
  }

  clear(): void {
    this.#lines = undefined;
  }
}

/** The rest of an indented line is indented a little more. */
function wrapLine(line: string, width: number): string[] {
  const text = line.replaceAll("\t", "    ");
  const indent = /^ {2,8}(?=\S)/.exec(text)?.[0].concat("  ") ?? "";
  if (indent === "" || visibleWidth(text) <= width) return wrapTextWithAnsi(text, width);
  const [first = "", ...rest] = wrapTextWithAnsi(text, width - 2);
  const others = rest.flatMap((each) => wrapTextWithAnsi(each, width - indent.length));
  return [first, ...others.map((each) => `${indent}${each}`)];
}

/** Removes every control sequence and character, except colours and line ends. */
function withColoursOnly(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
  const sequence = /(\x1b\[[\d;]*m)|\x1b\[[0-?]*[ -/]*[@-~]|\r\n?|[\0-\x08\x0b-\x1f\x7f-\x9f]/g;
  return text.replace(sequence, (found, colour) => colour ?? (found === "\r\n" ? "\n" : ""));
}
