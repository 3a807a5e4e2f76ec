import { ToolError } from "../../../contract/error.ts";
import { TimeSlice } from "../../../lib/async/time-slice.ts";
import { monotonicMs } from "../../../lib/clock.ts";

/** Maximum size of a response, or of one event in a stream. */
const maxBytes = 16 * 1024 * 1024;

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Returns a `fetch` that sends requests only to `origin`, and limits the size and the rate of responses. */
export function boundedFetch(origin: string, ask: Fetch = fetch): Fetch {
  return async (url, init) => {
    if (new URL(url).origin !== origin)
      throw new ToolError("denied", "The server redirects to another address, which is not allowed");
    const response = await ask(url, { ...init, redirect: "manual" });
    if (response.body === null) return response;
    // The SDK reads the body of an error at once, whatever its type.
    const isStream =
      response.ok && response.headers.get("content-type")?.includes("text/event-stream") === true;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(bound(isStream)), { status, statusText, headers });
  };
}

/** Limits a response, or each event of a stream. */
function bound(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let mark: number | undefined;
  const events = new EventSizes();
  const timeSlice = new TimeSlice();
  return new TransformStream({
    async transform(chunk, controller) {
      bytes = isStream ? events.add(chunk) : bytes + chunk.length;
      // A list of responses would be processed without a pause, however long it is. Requests are sent one by one.
      mark ??= chunk.find(isMark);
      if (!isStream && mark === listMark)
        throw new ToolError("unsupported", "The server responds with a list of messages");
      if (bytes > maxBytes) throw new ToolError("too-large", "The server's response exceeds 16 MB");
      controller.enqueue(chunk);
      if (isStream && timeSlice.isOver) await timeSlice.next();
    },
  });
}

/** Counts the bytes of the events of a stream. An event ends with an empty line. */
class EventSizes {
  readonly #flood = new Flood();
  #bytes = 0;
  #last = 0;

  /** Returns the bytes since the last event that has ended. */
  add(chunk: Uint8Array): number {
    let last = this.#last;
    let start = -this.#bytes;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at]!;
      if (byte === newline && last === newline) {
        start = at + 1;
        if (this.#flood.rises()) throw new ToolError("too-large", "The server sends too many messages");
      }
      // Carriage returns before a newline are ignored; no server uses them alone.
      if (byte !== carriageReturn) last = byte;
    }
    this.#last = last;
    this.#bytes = chunk.length - start;
    return this.#bytes;
  }
}

const newline = 10;
const listMark = "[".charCodeAt(0);

/** Matches anything but white space and a byte-order mark. */
function isMark(byte: number): boolean {
  return byte > 32 && byte < 128;
}
const carriageReturn = 13;

/** Detects a server that sends messages endlessly. */
export class Flood {
  #messages = 0;
  #began = monotonicMs();

  /** Counts a message. Returns true when there are too many. */
  rises(): boolean {
    this.#messages += 1;
    // The clock is read only once in `maxMessages`.
    if (this.#messages <= maxMessages) return false;
    const now = monotonicMs();
    if (now - this.#began <= spanMs) return true;
    this.#began = now;
    this.#messages = 1;
    return false;
  }
}

const maxMessages = 100_000;
const spanMs = 10_000;
