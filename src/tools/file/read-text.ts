import type { LineSlice, TextEncoding } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { ToolContext, ToolOutput } from "../../contract/tool.ts";
import { counted } from "../../text/counted.ts";
import { decodeText } from "../../text/encoding.ts";
import { sniffMediaType } from "../../text/media-type.ts";
import { characterStart } from "../../text/truncate.ts";
import type { BinaryFile } from "./read-image.ts";

/** Some lines of a text file. */
export interface TextFile {
  readonly kind: "text";
  readonly path: string;
  /** The lines as they are in the file, long ones and line ends included. */
  readonly text: string;
  /** Number of the first line; negative, counted from the end, where counting from the start would cost too much. */
  readonly firstLine: number;
  readonly lines: number;
  /** Lines in the whole file, where that is known. */
  readonly totalLines: number | undefined;
  /** Where to read on; undefined at the end of the file. */
  readonly nextOffset: number | undefined;
  readonly encoding: TextEncoding;
  readonly lineEnd: "lf" | "crlf" | "mixed" | "none";
  /** Of the whole file. */
  readonly bytes: number;
}

export interface LinesWanted {
  readonly offset: number;
  readonly limit: number;
  readonly lineNumbers: boolean;
}

/** The wanted lines, or what is known of the file when it is no text. */
export async function readText(
  path: string,
  wanted: LinesWanted,
  context: ToolContext,
): Promise<ToolOutput<TextFile> | { readonly binary: BinaryFile }> {
  const { offset, limit } = wanted;
  const slice = await context.environment.readLines(
    path,
    { first: offset, count: limit, maxBytes: maxSliceBytes },
    context.signal,
  );
  if (!isText(slice) || (await looksBinary(path, offset, slice, context))) {
    const head = await headOf(path, offset, slice, context);
    return { binary: { head, bytes: slice.info.bytes } };
  }
  return slice.lines === 0 ? showNothing(path, offset, slice) : showLines(path, wanted, slice, context);
}

type TextSlice = LineSlice & { readonly encoding: TextEncoding };

function isText(slice: LineSlice): slice is TextSlice {
  return slice.encoding !== "binary";
}

/** A slice never takes more memory than this, however many lines are asked for. */
const maxSliceBytes = 1024 * 1024;

/** Longer lines are cut for the model: they are data or generated code, and a few would push everything else out. */
const maxLineChars = 2000;

/** Latin-1 is what remains when a file is not UTF-8; PDF and other formats without NUL bytes end up there too. */
async function looksBinary(
  path: string,
  offset: number,
  slice: TextSlice,
  context: ToolContext,
): Promise<boolean> {
  if (slice.encoding !== "latin1") return false;
  return sniffMediaType(await headOf(path, offset, slice, context)) !== undefined;
}

async function headOf(
  path: string,
  offset: number,
  slice: LineSlice,
  context: ToolContext,
): Promise<Uint8Array> {
  if (offset === 1) return slice.bytes;
  const beginning = { first: 1, count: 1000, maxBytes: 64 * 1024 };
  return (await context.environment.readLines(path, beginning, context.signal)).bytes;
}

function showNothing(path: string, offset: number, slice: TextSlice): ToolOutput<TextFile> {
  const total = slice.totalLines ?? 0;
  if (total > 0) {
    throw new ToolError(
      "invalid-input",
      `${path} has ${counted(total, "line")}; offset ${offset} is past its end`,
      {
        hint:
          total === 1
            ? "Leave the offset out."
            : `Use an offset from 1 to ${total}, or a negative one to count from the end.`,
      },
    );
  }
  return {
    data: {
      kind: "text",
      path,
      text: "",
      firstLine: 1,
      lines: 0,
      totalLines: 0,
      nextOffset: undefined,
      encoding: slice.encoding,
      lineEnd: "none",
      bytes: slice.info.bytes,
    },
    text: "[The file is empty.]",
  };
}

async function showLines(
  path: string,
  wanted: LinesWanted,
  slice: TextSlice,
  context: ToolContext,
): Promise<ToolOutput<TextFile>> {
  const { text, encoding } = decodeText(slice.bytes, slice.encoding);
  const { firstLine, totalLines } = await numberLines(path, wanted.offset, slice, context);
  const { lines } = slice;
  const nextOffset = slice.reachedEnd ? undefined : firstLine + lines;
  const file: TextFile = {
    kind: "text",
    path,
    text,
    firstLine,
    lines,
    totalLines,
    nextOffset,
    encoding,
    lineEnd: lineEndOf(text),
    bytes: slice.info.bytes,
  };
  const body = showText(file, wanted.lineNumbers, slice.cutBytes);
  const note = describeEncoding(encoding);
  return {
    data: file,
    text: note === undefined ? body : `${body}${body.endsWith("\n") ? "" : "\n"}[${note}]`,
    ...(nextOffset === undefined ? {} : { continuation: describeRest(file, nextOffset) }),
  };
}

/** Files up to this size are counted through, so that lines have their true numbers; that takes milliseconds. */
const maxCountedBytes = 8 * 1024 * 1024;

async function numberLines(
  path: string,
  offset: number,
  slice: LineSlice,
  { environment, signal }: ToolContext,
): Promise<{ firstLine: number; totalLines: number | undefined }> {
  const { firstLine, totalLines, info } = slice;
  if (firstLine !== undefined && totalLines !== undefined) return { firstLine, totalLines };
  if (info.bytes > maxCountedBytes) return { firstLine: firstLine ?? offset, totalLines };
  const pastEnd = { first: Number.MAX_SAFE_INTEGER, count: 1, maxBytes: 1 };
  const counted = await environment.readLines(path, pastEnd, signal);
  const isUnchanged = counted.info.bytes === info.bytes && counted.info.modifiedMs === info.modifiedMs;
  if (!isUnchanged || counted.totalLines === undefined) return { firstLine: firstLine ?? offset, totalLines };
  return { firstLine: firstLine ?? counted.totalLines + 1 + offset, totalLines: counted.totalLines };
}

function showText({ text, firstLine, encoding }: TextFile, lineNumbers: boolean, cutBytes: number): string {
  const endsLine = text.endsWith("\n");
  const lines = (endsLine ? text.slice(0, -1) : text).split("\n");
  const shown = lines.map((line, index) => {
    const start = showLine(line.endsWith("\r") ? line.slice(0, -1) : line, encoding, cutBytes);
    return lineNumbers ? `${firstLine + index} | ${start}` : start;
  });
  return shown.join("\n") + (endsLine && !lineNumbers ? "\n" : "");
}

function showLine(line: string, encoding: TextEncoding, cutBytes: number): string {
  if (line.length <= maxLineChars && cutBytes === 0) return line;
  const end = characterStart(line, maxLineChars);
  const restBytes = Buffer.byteLength(line.slice(end), byteEncodings[encoding]) + cutBytes;
  return `${line.slice(0, end)}… [${counted(restBytes, "more byte")} in this line: find what you need in them with search.grep]`;
}

const byteEncodings = {
  "utf-8": "utf8",
  "utf-8-bom": "utf8",
  "utf-16le": "utf16le",
  "utf-16be": "utf16le",
  latin1: "latin1",
} as const;

function describeEncoding(encoding: TextEncoding): string | undefined {
  if (encoding === "utf-8") return undefined;
  return encoding === "latin1" ? "encoding: latin1, as it is not valid UTF-8" : `encoding: ${encoding}`;
}

function describeRest({ path, firstLine, lines, totalLines }: TextFile, nextOffset: number): string {
  const range = lines === 1 ? `line ${firstLine}` : `lines ${firstLine} to ${firstLine + lines - 1}`;
  const total = totalLines === undefined ? ", more follow" : ` of ${totalLines}`;
  return `${path}: ${range}${total}; read on with offset ${nextOffset}.`;
}

function lineEndOf(text: string): TextFile["lineEnd"] {
  const hasCrlf = text.includes("\r\n");
  const hasLf = /(?:^|[^\r])\n/.test(text);
  if (hasCrlf && hasLf) return "mixed";
  if (hasCrlf) return "crlf";
  return hasLf ? "lf" : "none";
}
