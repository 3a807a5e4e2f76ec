import { ToolError } from "../../../contract/error.ts";
import { TimeSlice } from "../../../lib/async/time-slice.ts";
import { monotonicMs } from "../../../lib/clock.ts";

/** Of one answer, or of one event of a stream that goes on. */
const maxBytes = 16 * 1024 * 1024;

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Asks the server at `origin` and nobody else, and takes no answer that never ends, nor all the time there is. */
export function boundedFetch(origin: string, ask: Fetch = fetch): Fetch {
  return async (url, init) => {
    if (new URL(url).origin !== origin)
      throw new ToolError("denied", "The server sends us to another address, which is not followed");
    const response = await ask(url, { ...init, redirect: "manual" });
    if (response.body === null) return response;
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(bound(isStream)), { status, statusText, headers });
  };
}

/** Events end with an empty line: a stream may go on for ever, an event may not. */
function bound(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let last = 0;
  let mark: number | undefined;
  const flood = new Flood();
  const timeSlice = new TimeSlice();
  return new TransformStream({
    async transform(chunk, controller) {
      for (const byte of isStream ? chunk : []) {
        bytes += 1;
        // A carriage return before it makes no difference, one alone ends no line that servers write.
        if (byte === newline && last === newline) {
          bytes = 0;
          if (flood.rises()) throw new ToolError("too-large", "The server talks without end");
        }
        if (byte !== carriageReturn) last = byte;
      }
      // We ask for one thing at a time: a list would be handed on at once, however long it is.
      mark ??= chunk.find(isMark);
      if (!isStream && mark === listMark)
        throw new ToolError("unsupported", "The server answers with a list of messages");
      if (!isStream) bytes += chunk.length;
      if (bytes > maxBytes) throw new ToolError("too-large", "The server's answer has more than 16 MB");
      controller.enqueue(chunk);
      if (isStream && timeSlice.isOver) await timeSlice.next();
    },
  });
}

const newline = 10;
const listMark = "[".charCodeAt(0);

/** Neither white space nor a byte order mark. */
function isMark(byte: number): boolean {
  return byte > 32 && byte < 128;
}
const carriageReturn = 13;

/** Knows a server that talks without end from one that has much to say. */
export class Flood {
  readonly #maxMessages: number;
  #messages = 0;
  #began = monotonicMs();

  constructor(maxMessages = 100_000) {
    this.#maxMessages = maxMessages;
  }

  /** Counts a message; whether it is one too many. */
  rises(): boolean {
    this.#messages += 1;
    // The clock is asked for once in a while only.
    if (this.#messages <= this.#maxMessages) return false;
    const now = monotonicMs();
    if (now - this.#began <= spanMs) return true;
    this.#began = now;
    this.#messages = 1;
    return false;
  }
}

const spanMs = 10_000;
