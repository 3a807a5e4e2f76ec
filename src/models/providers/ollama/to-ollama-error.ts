import { secretsOf, toModelError } from "../../language-model/to-model-error.ts";
import { ModelError, type ModelErrorKind } from "../../model-error.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import type { Refusal } from "./asking-fetch.ts";

/** The model meant to call a tool, and the server could not read the call: no failure that another try mends. */
export class UnreadableCall extends Error {}

export interface OllamaErrors {
  /** What the server refused. */
  ofRefusal(refusal: Refusal): Error;
  /** Whatever was thrown on the way; `hasBegun`: after an answer had begun. */
  of(error: unknown, hasBegun?: boolean): unknown;
}

export function ollamaErrors(address: string, settings: ProviderSettings): OllamaErrors {
  const { model, provider = "ollama" } = settings;
  const isItOllama = `Is it Ollama that answers at ${address}?`;
  const secrets = secretsOf(settings);
  const of = (error: unknown, hasBegun = false): unknown => {
    if (error instanceof ModelError || error instanceof UnreadableCall) return error;
    if (error instanceof DOMException && error.name === "TimeoutError")
      return new ModelError("timeout", `${address} did not answer in time.`, { hint: isItRunning });
    if (error instanceof SyntaxError)
      return new ModelError("not-found", `What came from ${address} is no JSON.`, { hint: isItOllama });
    const read = toModelError(error, { provider, model, secrets });
    if (!(read instanceof ModelError))
      return error instanceof TypeError && !hasBegun ? unreachable(address, error) : read;
    if (hasBegun && read.kind === "network")
      return new ModelError("cut", "The reply broke off: the connection was lost.");
    return withWayOut(read, { address, model, provider, isItOllama });
  };
  return {
    of,
    ofRefusal({ status, message, headers: said }) {
      if (unreadable.test(message)) return new UnreadableCall(message);
      const failure = {
        statusCode: status,
        responseHeaders: Object.fromEntries(said ?? []),
        responseBody: JSON.stringify({ error: message }),
        url: address,
      };
      return of(failure) as Error;
    },
  };
}

const unreadable = /error parsing tool call/i;

const isItRunning = "Start Ollama (`ollama serve`, or its app); OLLAMA_HOST says where it is.";

/** What `fetch` says where it has not even tried, at a forbidden port for example. */
function unreachable(address: string, { message, cause }: TypeError): ModelError {
  const why = cause instanceof Error ? cause.message : message;
  return new ModelError("network", `Cannot reach ${address}: ${why}`, { hint: isItRunning });
}

function withWayOut(
  error: ModelError,
  {
    address,
    model,
    provider,
    isItOllama,
  }: Readonly<Record<"address" | "model" | "provider" | "isItOllama", string>>,
): ModelError {
  const { kind, message, status, retryAfterMs } = error;
  const say = (hint: string, otherKind: ModelErrorKind = kind, words = message) =>
    new ModelError(otherKind, words, { hint, status, retryAfterMs });
  if (kind === "network")
    return say(isItRunning, kind, message.replace(`reach ${provider}:`, `reach ${address}:`));
  if (/does not support tools/i.test(message))
    return say("Speak to it by the action protocol: --protocol text", "bad-request");
  if (/more system memory|out of memory/i.test(message))
    return say("Take a smaller model, or a smaller `contextTokens` for it in models.json.", "bad-request");
  if (kind === "not-found" && /model/i.test(message)) return say(`Get it: ollama pull ${model}`);
  if (kind === "not-found") return say(isItOllama);
  return error;
}
