import { isRecord } from "../../../lib/json/is-record.ts";
import { tryParseJson } from "../../../lib/json/try-parse-json.ts";
import { secretsOf, toModelError } from "../../classify-provider-error.ts";
import { cutOff } from "../../language-model/stream-reply.ts";
import { ModelError, type ModelErrorCode } from "../../model-error.ts";
import type { ProviderSettings } from "../../providers.ts";

interface Refusal {
  /** Undefined for an error within a response that began well. */
  readonly status: number | undefined;
  readonly message: string;
  readonly headers: Headers | undefined;
}

/**
 * Returns a `fetch` for the official client, which takes no signal and skips unreadable lines. This `fetch` passes on
 * only complete lines in Ollama's format. It throws at any other line, at an error within the stream, and at a stream
 * that ends early.
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
  /** Called when a reply begins, after which a lost connection is a `cut`. Undefined when no reply is streamed. */
  readonly begun?: (() => void) | undefined;
}): typeof globalThis.fetch {
  return async (input, init) => {
    const ends = init?.signal ? AbortSignal.any([signal, init.signal]) : signal;
    const response = await fetch(input, { ...init, signal: ends });
    if (!response.ok) {
      const message = errorTextIn(await response.text().catch(() => ""));
      throw refused({ status: response.status, message, headers: response.headers });
    }
    if (begun === undefined || response.body === null) return response;
    begun();
    const lines = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(checkedLines(refused));
    return new Response(lines.pipeThrough(new TextEncoderStream()), { headers: response.headers });
  };
}

function errorTextIn(body: string): string {
  const { error } = Object(tryParseJson(body));
  return typeof error === "string" ? error : body;
}

function checkedLines(refused: (refusal: Refusal) => Error): TransformStream<string, string> {
  let pieces: string[] = [];
  let isDone = false;
  const check = (line: string, controller: TransformStreamDefaultController<string>) => {
    if (line.trim() === "") return;
    const chunk = tryParseJson(line);
    if (!isRecord(chunk)) throw cutOff("a line of it is not JSON.");
    if (typeof chunk.error === "string")
      throw refused({ status: undefined, message: chunk.error, headers: undefined });
    if (!isChunk(chunk)) throw cutOff("a line of it is not in Ollama's format.");
    isDone ||= chunk.done === true;
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
      if (!isDone) throw cutOff();
    },
  });
}

/** Checks the fields that readers rely on; compatible servers may send anything. */
function isChunk({ message }: Readonly<Record<string, unknown>>): boolean {
  if (message === undefined) return true;
  if (!isRecord(message)) return false;
  const { content, thinking, tool_calls: calls } = message;
  const isText = [content, thinking].every((value) => typeof (value ?? "") === "string");
  const list = calls ?? [];
  return isText && Array.isArray(list) && list.every(isCall);
}

function isCall(call: unknown): boolean {
  const { name } = Object(Object(call).function);
  return typeof name === "string" && name !== "";
}

/** The server could not read the model's tool call. A retry does not help. */
export class UnreadableCall extends Error {}

interface OllamaErrors {
  /** Converts an error that the server reported. */
  ofRefusal(refusal: Refusal): Error;
  /** Converts anything thrown; `hasBegun` says that the reply had begun. */
  of(error: unknown, hasBegun?: boolean): unknown;
}

export function ollamaErrors(address: string, settings: ProviderSettings): OllamaErrors {
  const { model, provider = "ollama" } = settings;
  const checkAddress = `Check that ${address} is the address of Ollama.`;
  const secrets = secretsOf(settings);
  const of = (error: unknown, hasBegun = false): unknown => {
    if (error instanceof ModelError || error instanceof UnreadableCall) return error;
    if (error instanceof DOMException && error.name === "TimeoutError")
      return new ModelError("timeout", `${address} did not answer in time.`, { hint: startOllama });
    if (error instanceof SyntaxError)
      return new ModelError("not-found", `${address} did not return JSON.`, { hint: checkAddress });
    const read = toModelError(error, { provider, model, secrets });
    if (!(read instanceof ModelError))
      return error instanceof TypeError && !hasBegun ? unreachable(address, error) : read;
    if (hasBegun && read.code === "network") return cutOff("Connection lost.");
    return withHint(read, { address, model, provider, checkAddress });
  };
  return {
    of,
    ofRefusal({ status, message, headers }) {
      if (unreadable.test(message)) return new UnreadableCall(message);
      const failure = {
        statusCode: status,
        responseHeaders: Object.fromEntries(headers ?? []),
        responseBody: JSON.stringify({ error: message }),
        url: address,
      };
      return of(failure) as Error;
    },
  };
}

/** Ollama sends no error codes: this and `withHint` read its English messages. */
const unreadable = /error parsing tool call/i;

const startOllama = "Run: ollama serve (or set OLLAMA_HOST to its address)";

/** `fetch` throws a TypeError when it does not even try, for example for a forbidden port. */
function unreachable(address: string, { message, cause }: TypeError): ModelError {
  const reason = cause instanceof Error ? cause.message : message;
  return new ModelError("network", `Cannot connect to ${address}: ${reason}`, { hint: startOllama });
}

function withHint(
  error: ModelError,
  about: Readonly<Record<"address" | "model" | "provider" | "checkAddress", string>>,
): ModelError {
  const { address, model, provider, checkAddress } = about;
  const { code: kind, message, status, retryAfterMs } = error;
  const hinted = (hint: string, otherKind: ModelErrorCode = kind, text = message) =>
    new ModelError(otherKind, text, { hint, status, retryAfterMs });
  if (kind === "network")
    return hinted(startOllama, kind, message.replace(`to ${provider}:`, `to ${address}:`));
  if (/does not support tools/i.test(message))
    return hinted("Use the text protocol: --protocol text", "bad-request");
  if (/more system memory|out of memory/i.test(message))
    return hinted(
      "Use a smaller model, or set a smaller `contextTokens` for it in models.json.",
      "bad-request",
    );
  if (kind === "not-found" && /model/i.test(message)) return hinted(`Run: ollama pull ${model}`);
  if (kind === "not-found") return hinted(checkAddress);
  return error;
}
