import { isRecord } from "../../../lib/is-record.ts";
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
 * cannot read to the console and goes on. Of a reply this one hands over only whole lines as Ollama writes them, and throws
 * at the first that is none, at an error within the stream, and at a stream that ends without its last line.
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
  /** A reply has begun to come: what is lost from then on was not lost on the way there. Undefined where none is asked for. */
  readonly begun?: (() => void) | undefined;
}): typeof globalThis.fetch {
  return async (input, init) => {
    const ends = init?.signal ? AbortSignal.any([signal, init.signal]) : signal;
    const response = await fetch(input, { ...init, signal: ends });
    if (!response.ok) {
      const message = saidIn(await response.text().catch(() => ""));
      throw refused({ status: response.status, message, headers: response.headers });
    }
    if (begun === undefined || response.body === null) return response;
    begun();
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
    if (!isChunk(said)) throw new ModelError("cut", "The reply broke off: a line of it is none of Ollama's.");
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

/** As far as it has to hold for whoever reads it: servers that only speak like Ollama may say anything. */
function isChunk({ message }: Readonly<Record<string, unknown>>): boolean {
  if (message === undefined) return true;
  if (!isRecord(message)) return false;
  const { content, thinking, tool_calls: calls } = message;
  const isWords = [content, thinking].every((words) => isNothing(words) || typeof words === "string");
  return isWords && (isNothing(calls) || (Array.isArray(calls) && calls.every(isCall)));
}

function isCall(call: unknown): boolean {
  if (!isRecord(call) || !isRecord(call.function)) return false;
  const { name } = call.function;
  return typeof name === "string" && name !== "";
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
