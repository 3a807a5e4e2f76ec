import { isRecord } from "../../../text/is-record.ts";
import { ModelError } from "../../model-error.ts";

/** What the server said is wrong. */
export interface Refusal {
  /** Undefined where it was said within an answer that had begun well. */
  readonly status: number | undefined;
  readonly message: string;
  readonly headers: Headers | undefined;
}

/**
 * A `fetch` for the official client, which can be told neither a signal nor what to do about trouble: it prints what it
 * cannot read to the console and goes on. This one hands over only whole lines of JSON, and throws at the first that is
 * none, at an error within the stream, and at a stream that ends without its last line.
 */
export function askingFetch({
  fetch,
  signal,
  refused,
  begun,
}: {
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
  readonly refused: (refusal: Refusal) => Error;
  /** An answer has begun to come: what is lost from then on was not lost on the way there. */
  readonly begun?: () => void;
}): typeof globalThis.fetch {
  return async (input, init) => {
    const ends = init?.signal ? AbortSignal.any([signal, init.signal]) : signal;
    const response = await fetch(input, { ...init, signal: ends });
    if (!response.ok) {
      const message = saidIn(await response.text().catch(() => ""));
      throw refused({ status: response.status, message, headers: response.headers });
    }
    begun?.();
    const isStream = response.headers.get("content-type")?.includes("ndjson") ?? false;
    if (!isStream || response.body === null) return response;
    const lines = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(checkedLines(refused));
    return new Response(lines.pipeThrough(new TextEncoderStream()), { headers: response.headers });
  };
}

function saidIn(body: string): string {
  try {
    const { error } = JSON.parse(body);
    return typeof error === "string" ? error : body;
  } catch {
    return body;
  }
}

function checkedLines(refused: (refusal: Refusal) => Error): TransformStream<string, string> {
  /** Of a line that has begun. */
  let pieces: string[] = [];
  let isDone = false;
  const check = (line: string, controller: TransformStreamDefaultController<string>) => {
    if (line.trim() === "") return;
    const said = parsed(line);
    if (!isRecord(said)) throw new ModelError("cut", "The reply broke off: a line of it is no JSON.");
    if (typeof said.error === "string")
      throw refused({ status: undefined, message: said.error, headers: undefined });
    isDone ||= said.done === true;
    controller.enqueue(`${line}\n`);
  };
  return new TransformStream({
    transform(chunk, controller) {
      const [first = "", ...others] = chunk.split("\n");
      pieces.push(first);
      for (const next of others) {
        check(pieces.join(""), controller);
        pieces = [next];
      }
    },
    flush(controller) {
      check(pieces.join(""), controller);
      if (!isDone)
        throw new ModelError("cut", "The reply broke off: the stream ended without saying that it has.");
    },
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
