import type { TextEncoding } from "../../contract/environment.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { counted } from "../../lib/counted.ts";
import { characterStart } from "../../lib/truncate.ts";

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
  /** Missing at the end of the text: a single line that is too long. */
  readonly cutBytes?: number;
  /** SHA-256 of the file when all of it was read, to be given back as `expected_hash`; worked out when looked at. */
  readonly hash: string | undefined;
}

/** The lines as the model sees them. `cutBytes` are missing at the end of the text, all of the same line. */
export function showText(file: TextFile, options: Showing): string {
  const { text, firstLine, encoding } = file;
  const endsLine = text.endsWith("\n");
  const end = endsLine ? text.length - 1 : text.length;
  let body = "";
  for (let start = 0, number = firstLine; start <= end; number += 1) {
    const newline = text.indexOf("\n", start);
    const lineEnd = newline === -1 ? end : newline;
    const line = showLine(
      text.slice(start, text[lineEnd - 1] === "\r" ? lineEnd - 1 : lineEnd),
      encoding,
      options,
    );
    if (start > 0) body += "\n";
    body += options.lineNumbers ? `${number} | ${line}` : line;
    start = lineEnd + 1;
  }
  if (endsLine && !options.lineNumbers) body += "\n";
  const note = describeEncoding(encoding);
  return note === undefined ? body : `${body}${body.endsWith("\n") ? "" : "\n"}[${note}]`;
}

/** How lines are shown. */
interface Showing extends Pick<ToolContext, "wording"> {
  readonly lineNumbers: boolean;
  readonly cutBytes: number;
}

/** Tells how to read on. */
export function describeRest({ path, firstLine, lines, totalLines }: TextFile, nextOffset: number): string {
  const range = lines === 1 ? `line ${firstLine}` : `lines ${firstLine} to ${firstLine + lines - 1}`;
  const total = totalLines === undefined ? ", more follow" : ` of ${totalLines}`;
  return `${path}: ${range}${total}; read on with offset ${nextOffset}.`;
}

export function lineEndOf(text: string): TextFile["lineEnd"] {
  const hasCrlf = text.includes("\r\n");
  const hasLf = /(?:^|[^\r])\n/.test(text);
  if (hasCrlf && hasLf) return "mixed";
  if (hasCrlf) return "crlf";
  return hasLf ? "lf" : "none";
}

/** Longer lines are cut for the model: they are data or generated code, and a few would push everything else out. */
const maxLineChars = 2000;

function showLine(line: string, encoding: TextEncoding, { cutBytes, wording }: Showing): string {
  if (line.length <= maxLineChars && cutBytes === 0) return line;
  const end = characterStart(line, maxLineChars);
  const restBytes = Buffer.byteLength(line.slice(end), byteEncodings[encoding]) + cutBytes;
  const rest = `${counted(restBytes, "more byte")} in this line: find what you need in them with search.grep`;
  return `${line.slice(0, end)}… [${wording(rest)}]`;
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
