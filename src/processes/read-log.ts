import type { OutputRequest } from "../contract/process.ts";
import type { OutputLog } from "./output-log.ts";

export interface LogRequest extends OutputRequest {
  readonly cursor?: number | undefined;
}

export interface LogPart {
  readonly text: string;
  /** The cursor of the first byte of `text`; `cursor` is where to continue. */
  readonly from: number;
  readonly cursor: number;
  /** Bytes between the requested cursor and `from` that are no longer in memory. */
  readonly lost: number;
}

/** Returns the output after a cursor, oldest first; without a cursor the latest. Cuts between lines if possible. */
export function readLog(log: OutputLog, request: LogRequest): LogPart {
  return request.cursor === undefined ? readEnd(log, request) : readOn(log, request.cursor, request);
}

function readOn(log: OutputLog, cursor: number, { stream, maxChars }: LogRequest): LogPart {
  const asked = Math.min(cursor, log.end);
  const from = Math.max(asked, log.start);
  let text = "";
  let next = from;
  for (const piece of log.after(from, stream)) {
    const left = maxChars - text.length;
    if (piece.text.length > left) {
      const wanted = text + piece.text.slice(0, left);
      const end = endOfWhole(wanted);
      // The cut is inside this piece, or at its beginning.
      const taken = Math.max(end - text.length, 0);
      return {
        text: wanted.slice(0, text.length + taken),
        from,
        cursor: piece.at + Buffer.byteLength(piece.text.slice(0, taken)),
        lost: from - asked,
      };
    }
    text += piece.text;
    next = piece.at + Buffer.byteLength(piece.text);
  }
  return { text, from, cursor: Math.max(next, log.end), lost: from - asked };
}

function readEnd(log: OutputLog, { stream, maxChars }: LogRequest): LogPart {
  const pieces = [...log.after(log.start, stream)];
  let text = "";
  let from = log.end;
  for (const piece of pieces.reverse()) {
    const left = maxChars - text.length;
    if (piece.text.length > left) {
      const begin = beginOfWhole(piece.text, piece.text.length - left);
      text = piece.text.slice(begin) + text;
      return {
        text,
        from: piece.at + Buffer.byteLength(piece.text.slice(0, begin)),
        cursor: log.end,
        lost: 0,
      };
    }
    text = piece.text + text;
    from = piece.at;
  }
  return { text, from, cursor: log.end, lost: 0 };
}

/** Returns where to cut the end of a text: after its last line, else after a word, never inside a character. */
function endOfWhole(text: string): number {
  const line = text.lastIndexOf("\n") + 1;
  if (line > 0) return line;
  const word = text.lastIndexOf(" ") + 1;
  return word > 0 ? word : text.length - (isHighSurrogate(text, text.length - 1) ? 1 : 0);
}

/** Returns the start of the first whole line from `at` on, or `at` itself when no line begins there. */
function beginOfWhole(text: string, at: number): number {
  if (at === 0 || text[at - 1] === "\n") return at;
  const line = text.indexOf("\n", at) + 1;
  if (line > 0 && line < text.length) return line;
  return at + (isHighSurrogate(text, at - 1) ? 1 : 0);
}

function isHighSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xd800 && code <= 0xdbff;
}
