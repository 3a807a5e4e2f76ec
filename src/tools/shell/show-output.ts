import { showSize } from "../../lib/show-size.ts";
import { plainTerminalText } from "../../lib/terminal-text.ts";
import { looksBinary } from "./looks-binary.ts";
import { type Ends, type OutputTape, type Piece, type StreamName, streamNames } from "./output-tape.ts";

/** What a command has said, as text. */
export interface ShownOutput {
  /** Both streams in order of arrival. */
  readonly text: string;
  readonly stdout: string;
  readonly stderr: string;
  /** The text without marks of which stream speaks. */
  readonly unmarked: string;
  /** What stands in the text for bytes that were not held. */
  readonly gaps: readonly { readonly mark: string; readonly bytes: number }[];
  /** What a reader should know about the bytes, in sentences. */
  readonly remarks: readonly string[];
}

/** Control sequences are carried out or left out, bytes that are no text are told of. */
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
      ? ["Some bytes of the output are no valid UTF-8 and shown as \ufffd"]
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

function readStream(stream: StreamName, { head, tail, lostBytes, totalBytes }: Ends): ReadStream {
  const [first] = head;
  if (first === undefined) return { runs: [], gaps: [], isDamaged: false };
  const { order } = first;
  const run = (order: number, text: string): Run => ({ stream, order, text });
  const beginning = decode(head);
  if (looksBinary(beginning.map(({ text }) => text).join(""))) {
    const mark = `[${stream}: ${showSize(totalBytes)} that are no text, not shown; send them to a file to use them]\n`;
    return { runs: [run(order, mark)], gaps: [], isDamaged: false };
  }
  const whole = lostBytes === 0 ? decode([...head, ...tail]) : beginning;
  const end = lostBytes === 0 ? { pieces: [], skippedBytes: 0 } : fromLineStart(tail);
  const ending = decode(end.pieces);
  const bytes = lostBytes + end.skippedBytes;
  const mark = `${endsLine(whole) ? "" : "\n"}[… ${bytes} bytes of ${stream} cut …]\n`;
  const gap = run(end.pieces[0]?.order ?? order, mark);
  return {
    runs: [
      ...whole.map(({ order, text }) => run(order, text)),
      ...(lostBytes === 0 ? [] : [gap]),
      ...ending.map(({ order, text }) => run(order, text)),
    ],
    gaps: lostBytes === 0 ? [] : [{ mark, bytes }],
    isDamaged: isDamaged(head, beginning),
  };
}

/** A character may begin in one piece and end in the next. */
function decode(pieces: readonly Piece[]): { readonly order: number; readonly text: string }[] {
  const decoder = new TextDecoder();
  const texts = pieces.map(({ order, bytes }) => ({ order, text: decoder.decode(bytes, { stream: true }) }));
  const rest = decoder.decode();
  const last = texts.at(-1);
  return rest === "" || last === undefined ? texts : [...texts, { order: last.order, text: rest }];
}

/** What is left of the line or character that a gap has cut is left out, too. */
function fromLineStart(tail: readonly Piece[]): { pieces: readonly Piece[]; skippedBytes: number } {
  const [first, ...others] = tail;
  if (first === undefined) return { pieces: [], skippedBytes: 0 };
  const line = first.bytes.subarray(0, 4096).indexOf(0x0a) + 1;
  const character = first.bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  const skippedBytes = line > 0 ? line : Math.max(0, character);
  return { pieces: [{ ...first, bytes: first.bytes.subarray(skippedBytes) }, ...others], skippedBytes };
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

/** What one stream said without the other coming in between, cleaned as a whole. */
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

/** Marks which stream speaks, unless they take turns so often that marks would only be in the way. */
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
