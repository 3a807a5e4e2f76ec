import type { LineSlice, TextEncoding } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { ToolContext, ToolOutput } from "../../contract/tool.ts";
import { anchorHash, textLines } from "../../edit/anchors.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { sniffMediaType } from "../../lib/bytes/media-type.ts";
import { decodeText } from "../../lib/text/encoding.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import type { BinaryFile } from "./read-image.ts";

interface LinesWanted {
  readonly offset: number;
  readonly limit: number;
  /** The beginning of each line. */
  readonly prefix: "none" | "number" | "anchor";
  readonly maxBytes?: number | undefined;
}

/** Returns the requested lines, or the beginning and size of a binary file. */
export async function readText(
  path: string,
  wanted: LinesWanted,
  context: ToolContext,
): Promise<ToolOutput<TextFile> | { readonly binary: BinaryFile }> {
  const { offset, limit, maxBytes = maxSliceBytes } = wanted;
  const slice = await context.environment.readLines(
    path,
    { first: offset, count: limit, maxBytes },
    context.signal,
  );
  const head = mayBeBinary(slice) ? await headOf(path, offset, slice, context) : new Uint8Array();
  if (!isText(slice) || (head.length > 0 && sniffMediaType(head)))
    return { binary: { head, bytes: slice.info.bytes } };
  return slice.lines === 0 ? showNothing(path, offset, slice) : showLines(path, wanted, slice, context);
}

/** Returns whether a slice may be binary. Any file that is not UTF-8 counts as Latin-1, even some PDFs. */
function mayBeBinary({ encoding }: LineSlice): boolean {
  return encoding === "binary" || encoding === "latin1";
}

type TextSlice = LineSlice & { readonly encoding: TextEncoding };

function isText(slice: LineSlice): slice is TextSlice {
  return slice.encoding !== "binary";
}

/** Limits the memory of a slice, however many lines are requested. */
export const maxSliceBytes: number = 1024 * 1024;

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
    const message = `${path} has ${counted(total, "line")}; line ${offset} is past its end`;
    throw new ToolError("invalid-input", message, { hint: `Use an offset from 1 to ${total}.` });
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
      hash: hashOf(slice),
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
  const { bytes, lines, cutBytes } = slice;
  const nextOffset = slice.reachedEnd ? undefined : firstLine + lines;
  const isWhole = firstLine === 1 && slice.reachedEnd && cutBytes === 0;
  const isExact = firstLine > 0 && cutBytes === 0;
  const around =
    wanted.prefix === "anchor"
      ? await readAround(path, { firstLine, nextOffset, isExact }, slice, context)
      : undefined;
  // Lines that were cut, or are numbered from the end, are not noted, because they cannot be found again.
  if (isExact)
    context.seen.note(
      path,
      isWhole
        ? { bytes, lines: "all" }
        : { bytes, lines: { first: firstLine, count: lines }, aboveHash: around?.aboveHash },
    );
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
    cutBytes: cutBytes || undefined,
    get hash() {
      return isWhole ? hashOf(slice) : undefined;
    },
  };
  return {
    data: file,
    text: showText(file, wanted, around),
    showsData: true,
    continuation: nextOffset === undefined && cutBytes === 0 ? undefined : describeRest(file),
  };
}

/** Hashes the file's bytes, including the byte-order mark that the slice omits. */
function hashOf({ bytes, info, encoding }: TextSlice): string {
  const mark = Buffer.from("\ufeff", encoding.startsWith("utf-8") ? "utf8" : "utf16le");
  if (info.bytes === bytes.length) return contentHash(bytes);
  return contentHash(Buffer.concat([encoding === "utf-16be" ? mark.swap16() : mark, bytes]));
}

/** Lines of files up to this size are counted to get their true numbers, which takes milliseconds. */
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
  const end = await environment.readLines(path, pastEnd, signal);
  const isUnchanged = end.info.bytes === info.bytes && end.info.modifiedMs === info.modifiedMs;
  if (!isUnchanged || end.totalLines === undefined) return { firstLine: firstLine ?? offset, totalLines };
  return { firstLine: firstLine ?? end.totalLines + 1 + offset, totalLines: end.totalLines };
}

export interface TextFile {
  readonly kind: "text";
  readonly path: string;
  /** The lines with their line ends, not shortened. */
  readonly text: string;
  /** Negative, counted from the end, if counting from the start would take too long. */
  readonly firstLine: number;
  readonly lines: number;
  /** The number of lines in the whole file, if known. */
  readonly totalLines: number | undefined;
  /** The offset of the next line; undefined at the end of the file. */
  readonly nextOffset: number | undefined;
  readonly encoding: TextEncoding;
  readonly lineEnd: "lf" | "crlf" | "mixed" | "none";
  /** The size of the whole file. */
  readonly bytes: number;
  /** The number of bytes missing at the end of the text, when a single line is too long. */
  readonly cutBytes?: number;
  /** SHA-256 of the file if all of it was read, to send back as `expected_hash`. Computed on first use. */
  readonly hash: string | undefined;
}

/** Shows the lines for the model. */
function showText(file: TextFile, { prefix }: Pick<LinesWanted, "prefix">, around?: LinesAround): string {
  const { text, firstLine, encoding } = file;
  const numbered = () => (prefix === "number" ? numberedLines(text, firstLine) : withoutReturns(text));
  const body = around ? anchoredLines(file, around) : numbered();
  const note = describeEncoding(encoding);
  return note === undefined ? body : `${body}${body.endsWith("\n") ? "" : "\n"}[${note}]`;
}

/** The lines above and below a slice, on which the anchors of its first and last line depend. */
interface LinesAround {
  readonly above: string | undefined;
  readonly below: string | undefined;
  /** SHA-256 of everything above, unless it is too large. */
  readonly aboveHash: string | undefined;
}

async function readAround(
  path: string,
  slice: { readonly firstLine: number; readonly nextOffset: number | undefined; readonly isExact: boolean },
  { encoding }: TextSlice,
  { environment, signal }: ToolContext,
): Promise<LinesAround> {
  const { firstLine, nextOffset, isExact } = slice;
  if (!isExact)
    throw new ToolError("too-large", `${path} has lines that are too long, or too many lines, for anchors`, {
      hint: "Read it without `anchors`.",
    });
  const read = (first: number, count: number, maxBytes: number) =>
    environment.readLines(path, { first, count, maxBytes }, signal);
  const lastOf = ({ bytes }: LineSlice) => textLines(decodeText(bytes, encoding).text).at(-1);
  const below = nextOffset === undefined ? undefined : lastOf(await read(nextOffset, 1, maxSliceBytes));
  if (firstLine === 1) return { above: undefined, below, aboveHash: undefined };
  const allAbove = await read(1, firstLine - 1, maxCountedBytes);
  const isAll = allAbove.lines === firstLine - 1 && allAbove.cutBytes === 0;
  return isAll
    ? { above: lastOf(allAbove), below, aboveHash: contentHash(allAbove.bytes) }
    : { above: lastOf(await read(firstLine - 1, 1, maxSliceBytes)), below, aboveHash: undefined };
}

function anchoredLines({ text, firstLine }: TextFile, { above, below }: LinesAround): string {
  const own = textLines(text);
  const lines = [...(above === undefined ? [] : [above]), ...own, ...(below === undefined ? [] : [below])];
  const first = above === undefined ? 0 : 1;
  return own
    .map(
      (line, index) => `${firstLine + index}:${anchorHash(lines, first + index, firstLine + index)}|${line}`,
    )
    .join("\n");
}

function numberedLines(text: string, firstLine: number): string {
  const given = withoutReturns(text);
  const end = given.endsWith("\n") ? given.length - 1 : given.length;
  // A string that grows takes two thirds of the time of a list that is joined.
  let numbered = `${firstLine} | `;
  let line = firstLine;
  for (let start = 0; ; ) {
    const next = given.indexOf("\n", start) + 1;
    if (next === 0 || next > end) return numbered + given.slice(start, end);
    line += 1;
    numbered += given.slice(start, next);
    numbered += `${line} | `;
    start = next;
  }
}

function withoutReturns(text: string): string {
  return text.includes("\r") ? text.replace(/\r(?=\n|$)/g, "") : text;
}

function describeRest({ path, firstLine, lines, totalLines, cutBytes, nextOffset }: TextFile): string {
  const range = lines === 1 ? `line ${firstLine}` : `lines ${firstLine} to ${firstLine + lines - 1}`;
  const total =
    totalLines === undefined ? (nextOffset === undefined ? "" : ", more follow") : ` of ${totalLines}`;
  const next = nextOffset === undefined ? "." : `; continue with offset ${nextOffset}.`;
  return `${path}: ${range}${total}${next}${describeCut(cutBytes)}`;
}

/** Describes how to read the rest of a line that is too long. */
function describeCut(cutBytes: number | undefined): string {
  if (cutBytes === undefined) return "";
  return ` ${counted(cutBytes, "more byte")} of this line: find text in them with search.grep, or print a part with the command tail -c.`;
}

function lineEndOf(text: string): TextFile["lineEnd"] {
  if (!text.includes("\r")) return text.includes("\n") ? "lf" : "none";
  const hasCrlf = text.includes("\r\n");
  const hasLf = /(?:^|[^\r])\n/.test(text);
  if (hasCrlf && hasLf) return "mixed";
  if (hasCrlf) return "crlf";
  return hasLf ? "lf" : "none";
}

function describeEncoding(encoding: TextEncoding): string | undefined {
  if (encoding === "utf-8") return undefined;
  return encoding === "latin1" ? "encoding: latin1, because it is not valid UTF-8" : `encoding: ${encoding}`;
}
