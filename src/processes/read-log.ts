import type { OutputRequest } from "../contract/process.ts";
import type { OutputLog } from "./output-log.ts";

export interface LogRequest extends OutputRequest {
  readonly cursor?: number | undefined;
}

export interface LogPart {
  readonly text: string;
  /** Where it begins, and where to go on. */
  readonly from: number;
  readonly cursor: number;
  /** Bytes between the cursor asked for and `from` that are no longer held. */
  readonly lost: number;
}

/** What was said after a cursor, oldest first; without a cursor the latest. Whole lines where that can be. */
export function readLog(log: OutputLog, request: LogRequest): LogPart {
  return request.cursor === undefined ? readEnd(log, request) : readOn(log, request.cursor, request);
}

function readOn(log: OutputLog, cursor: number, { stream, maxChars }: LogRequest): LogPart {
  const asked = Math.min(cursor, log.end);
  const from = Math.max(asked, log.start);
  let text = "";
  let next = from;
  for (const piece of log.after(from, stream)) {
    const room = maxChars - text.length;
    if (piece.text.length > room) {
      const wanted = text + piece.text.slice(0, room);
      const end = endOfWhole(wanted);
      // What came before this piece is whole: the cut lies inside it, or at its beginning.
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
    const room = maxChars - text.length;
    if (piece.text.length > room) {
      const begin = beginOfWhole(piece.text, piece.text.length - room);
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

/** Where to cut a text that goes on: after its last line, else after a word, never inside a character. */
function endOfWhole(text: string): number {
  const line = text.lastIndexOf("\n") + 1;
  if (line > 0) return line;
  const word = text.lastIndexOf(" ") + 1;
  return word > 0 ? word : text.length - (isHighSurrogate(text, text.length - 1) ? 1 : 0);
}

/** The first whole line from a place on, or the place itself where no line begins. */
function beginOfWhole(text: string, place: number): number {
  if (place === 0 || text[place - 1] === "\n") return place;
  const line = text.indexOf("\n", place) + 1;
  if (line > 0 && line < text.length) return line;
  return place + (isHighSurrogate(text, place - 1) ? 1 : 0);
}

function isHighSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xd800 && code <= 0xdbff;
}
