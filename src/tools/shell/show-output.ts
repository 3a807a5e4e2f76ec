import type { OutputGap } from "../../contract/output.ts";
import { releaseBytes } from "../../lib/bytes/bytes.ts";
import { utf16Units } from "../../lib/text/encoding.ts";
import { showSize } from "../../lib/text/format-quantity.ts";
import { plainTerminalText } from "../../lib/text/terminal-text.ts";

/** A command's output as text. */
export interface ShownOutput {
  /** Both streams in order of arrival. */
  readonly text: string;
  readonly stdout: string;
  readonly stderr: string;
  /** The text without stream markers. */
  readonly unmarked: string;
  /** The markers in the text for bytes that were not held. */
  readonly gaps: readonly OutputGap[];
  /** Sentences about the bytes of the output. */
  readonly remarks: readonly string[];
}

/** Returns the output with control sequences applied or removed, and binary data replaced by a note. */
export function showOutput(tape: OutputTape): ShownOutput {
  const streams = streamNames.map((stream) => readStream(stream, tape.ends(stream)));
  const runs = joinRuns(
    streams.flatMap(({ runs }) => runs).toSorted((one, other) => one.order - other.order),
  );
  const textOf = (stream: StreamName) =>
    runs.flatMap((run) => (run.stream === stream ? [run.text] : [])).join("");
  return {
    text: mergeRuns(runs),
    stdout: textOf("stdout"),
    stderr: textOf("stderr"),
    unmarked: runs.map(({ text }) => text).join(""),
    gaps: streams.flatMap(({ gaps }) => gaps),
    remarks: streams.some(({ isDamaged }) => isDamaged)
      ? ["Some bytes of the output are not valid UTF-8 and are shown as \ufffd"]
      : [],
  };
}

interface Run {
  readonly stream: StreamName;
  readonly order: number;
  readonly text: string;
}

interface ReadStream {
  readonly runs: readonly Run[];
  readonly gaps: ShownOutput["gaps"];
  readonly isDamaged: boolean;
}

function readStream(stream: StreamName, { head, tail, lostBytes, lostChars, totalBytes }: Ends): ReadStream {
  const [first] = head;
  if (first === undefined) return { runs: [], gaps: [], isDamaged: false };
  const { order } = first;
  const run = (order: number, text: string): Run => ({ stream, order, text });
  const beginning = decode(head, { isCut: lostBytes > 0 });
  if (looksBinary(beginning.map(({ text }) => text).join(""))) {
    const mark = `[${stream}: ${showSize(totalBytes)} of binary data, not shown; redirect it to a file to use it]\n`;
    return { runs: [run(order, mark)], gaps: [], isDamaged: false };
  }
  const whole = lostBytes === 0 ? decode([...head, ...tail]) : beginning;
  const end = lostBytes === 0 ? { pieces: [], skipped: new Uint8Array() } : fromLineStart(tail);
  const ending = decode(end.pieces);
  const bytes = lostBytes + end.skipped.length;
  const mark = `${endsLine(whole) ? "" : "\n"}[… ${bytes} bytes of ${stream} cut …]\n`;
  const gap = run(end.pieces[0]?.order ?? order, mark);
  return {
    runs: [
      ...whole.map(({ order, text }) => run(order, text)),
      ...(lostBytes === 0 ? [] : [gap]),
      ...ending.map(({ order, text }) => run(order, text)),
    ],
    gaps:
      lostBytes === 0
        ? []
        : [{ mark, bytes, chars: lostChars + utf16Units(end.skipped) + cutCharacter(head, beginning) }],
    isDamaged: isDamaged(head, beginning),
  };
}

/** Returns the length of a character whose end was dropped. */
function cutCharacter(pieces: readonly Piece[], texts: readonly { readonly text: string }[]): number {
  const begun = pieces.reduce((sum, { bytes }) => sum + utf16Units(bytes), 0);
  return Math.max(0, begun - texts.reduce((sum, { text }) => sum + text.length, 0));
}

/** Decodes pieces. A character may begin in one and end in the next; a cut character is left out. */
function decode(
  pieces: readonly Piece[],
  { isCut = false }: { readonly isCut?: boolean } = {},
): { readonly order: number; readonly text: string }[] {
  const decoder = new TextDecoder();
  const texts = pieces.map(({ order, bytes }) => ({ order, text: decoder.decode(bytes, { stream: true }) }));
  const rest = isCut ? "" : decoder.decode();
  const last = texts.at(-1);
  return rest === "" || last === undefined ? texts : [...texts, { order: last.order, text: rest }];
}

/** Leaves out the rest of a line or character that was cut before the tail. */
function fromLineStart(tail: readonly Piece[]): { pieces: readonly Piece[]; skipped: Uint8Array } {
  const [first, ...others] = tail;
  if (first === undefined) return { pieces: [], skipped: new Uint8Array() };
  const line = first.bytes.subarray(0, 4096).indexOf(0x0a) + 1;
  const character = first.bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  const end = line > 0 ? line : Math.max(0, character);
  const rest = { ...first, bytes: first.bytes.subarray(end) };
  return { pieces: [rest, ...others], skipped: first.bytes.subarray(0, end) };
}

function endsLine(texts: readonly { readonly text: string }[]): boolean {
  return texts.at(-1)?.text.endsWith("\n") ?? true;
}

function isDamaged(pieces: readonly Piece[], texts: readonly { readonly text: string }[]): boolean {
  return (
    texts.some(({ text }) => text.includes("\ufffd")) &&
    !pieces.some(({ bytes }) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes("\ufffd"))
  );
}

/** Joins adjacent output of one stream and cleans it as a whole. */
function joinRuns(runs: readonly Run[]): readonly Run[] {
  const joined: { stream: StreamName; order: number; texts: string[] }[] = [];
  for (const { stream, order, text } of runs) {
    const last = joined.at(-1);
    if (last?.stream === stream) last.texts.push(text);
    else joined.push({ stream, order, texts: [text] });
  }
  return joined.map(({ stream, order, texts }) => ({
    stream,
    order,
    text: plainTerminalText(texts.join("")),
  }));
}

/** Marks the stream of each part, unless the streams alternate too often. */
function mergeRuns(runs: readonly Run[]): string {
  if (runs.length < 2 || runs.length > maxMarkedRuns) return runs.map(({ text }) => text).join("");
  return runs
    .map(({ stream, text }, index) => {
      const mark = index === 0 && stream === "stdout" ? "" : `[${stream}]\n`;
      return mark + (text.endsWith("\n") || index === runs.length - 1 ? text : `${text}\n`);
    })
    .join("");
}

const maxMarkedRuns = 8;

export type StreamName = "stdout" | "stderr";

export const streamNames = ["stdout", "stderr"] as const;

/** Bytes of one stream that arrived together; `order` counts the pieces of both streams. */
interface Piece {
  readonly order: number;
  readonly bytes: Uint8Array;
}

/** The first and last bytes of one stream. The bytes in between are counted and dropped. */
interface Ends {
  readonly head: readonly Piece[];
  readonly tail: readonly Piece[];
  readonly lostBytes: number;
  /** The dropped bytes, counted in UTF-16 units. */
  readonly lostChars: number;
  readonly totalBytes: number;
}

/** The maximum number of bytes held at each end of each stream. */
export const heldBytes: number = 256 * 1024;

/**
 * Holds the beginning and end of a command's two streams, each piece with its order of arrival. Endless output takes
 * constant memory, and one stream never displaces the other.
 */
export class OutputTape {
  readonly #sides: Readonly<Record<StreamName, Side>> = { stdout: new Side(), stderr: new Side() };
  #order = 0;
  #last: StreamName | undefined;

  add(stream: StreamName, bytes: Uint8Array): void {
    if (stream !== this.#last) this.#order += 1;
    this.#last = stream;
    this.#sides[stream].add(bytes, this.#order);
  }

  ends(stream: StreamName): Ends {
    return this.#sides[stream].ends();
  }
}

class Side {
  readonly #head: Piece[] = [];
  #headBytes = 0;
  #tail: Piece[] = [];
  #tailStart = 0;
  #tailBytes = 0;
  #totalBytes = 0;
  #lostChars = 0;

  add(bytes: Uint8Array, order: number): void {
    this.#totalBytes += bytes.length;
    const free = heldBytes - this.#headBytes;
    const first = bytes.subarray(0, free);
    if (first.length > 0) {
      this.#head.push({ order, bytes: copyOf(first) });
      this.#headBytes += first.length;
    }
    if (bytes.length > free) this.#addToTail(bytes.subarray(free), order);
  }

  ends(): Ends {
    const lostBytes = this.#totalBytes - this.#headBytes - this.#tailBytes;
    return {
      head: this.#head,
      tail: this.#tail.slice(this.#tailStart),
      lostBytes,
      lostChars: this.#lostChars,
      totalBytes: this.#totalBytes,
    };
  }

  #addToTail(bytes: Uint8Array, order: number): void {
    const part = copyOf(bytes.subarray(-heldBytes));
    this.#lostChars += utf16Units(bytes.subarray(0, bytes.length - part.length));
    this.#tail.push({ order, bytes: part });
    this.#tailBytes += part.length;
    for (let oldest = this.#tail[this.#tailStart]!; this.#tailBytes - oldest.bytes.length >= heldBytes; ) {
      this.#tailBytes -= oldest.bytes.length;
      this.#lostChars += utf16Units(oldest.bytes);
      releaseBytes(oldest.bytes);
      this.#tailStart += 1;
      oldest = this.#tail[this.#tailStart]!;
    }
    if (this.#tailStart < this.#tail.length / 2) return;
    this.#tail = this.#tail.slice(this.#tailStart);
    this.#tailStart = 0;
  }
}

/** Copies bytes, because a slice would keep its whole buffer in memory. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

/**
 * Returns whether output is binary, such as an image, archive or program. A few odd characters, as in old encodings or
 * lists separated by NUL, are still text.
 */
export function looksBinary(decoded: string): boolean {
  const sample = decoded.slice(0, sampleChars);
  return (sample.match(odd)?.length ?? 0) > Math.max(fewOdd, sample.length / 10);
}

const fewOdd = 8;
const sampleChars = 8 * 1024;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
const odd = /[\0-\x07\x0e-\x1a\x1c-\x1f\ufffd]/g;
