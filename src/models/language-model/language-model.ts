import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { oncePerObject } from "../../lib/once-per-object.ts";
import { refusedCall, secretsOf, toModelError } from "../classify-provider-error.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { offerTools, type Route } from "./route.ts";
import { endWithFault, readReply } from "./stream-reply.ts";
import { promptMaker } from "./to-prompt.ts";

/** Returns a model that is called through the AI SDK, without the SDK's tool loop and retries. */
export function languageModel(route: Route): Model {
  const { settings } = route;
  const provider = settings.provider ?? route.api;
  const id = `${provider}/${settings.model}`;
  const convertTools = oncePerObject((tools: ModelRequest["tools"]) =>
    oncePerObject((deferred: ModelRequest["tools"]) => offerTools({ tools, deferred }, route.tools)),
  );
  const seesImages = settings.facts.seesImages !== false;
  const toPrompt = promptMaker({ ...route.prompt, id, provider, seesImages });
  const warnings = new Set<string>();
  // A warning is reported once, whatever numbers it contains.
  const isNews = (warning: string) => {
    const pattern = warning.replace(/\d+/g, "#");
    return !warnings.has(pattern) && warnings.add(pattern).has(pattern);
  };
  const secrets = secretsOf(settings);
  // Node loads its HTTP client on first use. Here the session still waits for git, later the request would wait.
  if (settings.fetch === undefined) setImmediate(() => void globalThis.Response);

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    signal.throwIfAborted();
    const leaving = new AbortController();
    let isAsked = false;
    let hasBegun = false;
    try {
      const deferred = settings.facts.defersTools ? request.deferred : undefined;
      const offered = convertTools(request.tools)(deferred ?? none);
      const prompt = toPrompt(request, offered);
      route.mark?.(prompt);
      const call: LanguageModelV4CallOptions = {
        prompt,
        tools: offered.tools.length === 0 ? undefined : offered.tools,
        ...samplingOf(request),
        ...route.options(request),
        abortSignal: AbortSignal.any([signal, leaving.signal]),
      };
      isAsked = true;
      const { stream: parts } = await route.languageModel.doStream(call);
      hasBegun = true;
      for await (const event of readReply(untilAborted(parts, signal), { offered, route, isNews })) {
        // The consumer may resume after the turn was aborted.
        signal.throwIfAborted();
        yield event;
      }
    } catch (error) {
      signal.throwIfAborted();
      const refused = hasBegun ? undefined : refusedCall(error, secrets);
      if (refused === undefined)
        throw toModelError(error, { provider, model: settings.model, secrets, isAsked, hasBegun });
      yield* endWithFault(refused);
    } finally {
      // Node keeps the request in memory until its signal is aborted, even after a complete reply.
      leaving.abort();
    }
  }

  return { id, provider, name: settings.model, facts: settings.facts, stream };
}

const none: ModelRequest["tools"] = [];

/** The provider's package reports a setting that its API does not have as a warning. */
function samplingOf({ sampling: { temperature, topP, seed, stop } = {} }: ModelRequest) {
  return { temperature, topP, seed, stopSequences: stop && [...stop] };
}

/** Throws when aborted. Some streams would end normally, or still deliver what was read ahead. */
async function* untilAborted(
  parts: ReadableStream<LanguageModelV4StreamPart>,
  signal: AbortSignal,
): AsyncGenerator<LanguageModelV4StreamPart, void> {
  const reader = parts.getReader();
  const stop = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    reader.cancel().catch(() => {});
  }
}
