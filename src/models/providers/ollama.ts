import type { ChatRequest, ChatResponse, Tool } from "ollama";
import type { ToolDefinition } from "../../dialects/definition.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { oncePerObject } from "../../lib/once-per-object.ts";
import { toOpenAiChat } from "../../wire/openai.ts";
import type { Message } from "../message.ts";
import type { Model, ModelEvent, ModelFacts, ModelRequest } from "../model.ts";
import type { ProviderSettings } from "../providers.ts";
import { askingFetch, ollamaErrors } from "./ollama/asking-fetch.ts";
import { messageMaker, readChunks } from "./ollama/messages.ts";

/** Opens a model through Ollama's own API. Asks the server what the model can do. */
export async function ollama(settings: ProviderSettings): Promise<Model> {
  const { Ollama } = await import("ollama");
  const { model, provider = "ollama", baseUrl: host = "http://127.0.0.1:11434", apiKey } = settings;
  const errors = ollamaErrors(host, settings);
  const headers = { ...settings.headers, ...(apiKey && { Authorization: `Bearer ${apiKey}` }) };
  const { fetch = globalThis.fetch } = settings;
  const clientFor = (signal: AbortSignal, begun?: () => void) =>
    new Ollama({ host, headers, fetch: askingFetch({ fetch, signal, refused: errors.ofRefusal, begun }) });

  const shown = await clientFor(AbortSignal.timeout(showTimeoutMs))
    .show({ model })
    .catch((error) => {
      throw errors.of(error);
    });
  const abilities = abilitiesOf(shown, settings);
  const { numCtx, facts } = abilities;
  const id = `${provider}/${model}`;
  const messagesOf = messageMaker({ id, seesImages: facts.seesImages ?? false });
  const watch = new PromptWatch(numCtx ?? Number.POSITIVE_INFINITY);
  let hasWarned = false;

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    signal.throwIfAborted();
    const messages = [
      ...(request.system === "" ? [] : [{ role: "system", content: request.system }]),
      ...request.messages.flatMap(messagesOf),
    ];
    const body = { model, messages, ...optionsOf(request, model, abilities), stream: true } as const;
    let hasBegun = false;
    const client = clientFor(signal, () => {
      hasBegun = true;
    });
    try {
      for await (const event of readChunks(chunksOf(client, body))) {
        signal.throwIfAborted();
        if (event.type === "finish" && watch.isCut(sizeOf(request), event.usage.input) && !hasWarned) {
          hasWarned = true;
          yield { type: "warning", message: truncationWarning(id, event.usage.input, numCtx) };
        }
        yield event;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw errors.of(error, hasBegun);
    }
  }

  return { id, provider, name: model, facts, stream };
}

const showTimeoutMs = 10_000;

function optionsOf(
  { tools, reasoning, maxOutputTokens, sampling }: ModelRequest,
  model: string,
  { numCtx, thinks }: Abilities,
): Pick<ChatRequest, "tools" | "think" | "options"> {
  return {
    tools: tools.length > 0 ? toolsOf(tools) : undefined,
    think: thinks && reasoning ? (isGptOss.test(model) ? reasoning : true) : undefined,
    options: {
      num_ctx: numCtx,
      num_predict: maxOutputTokens,
      temperature: sampling?.temperature,
      top_p: sampling?.topP,
      seed: sampling?.seed,
      stop: sampling?.stop && [...sampling.stop],
    },
  };
}

/** Ollama's default of 4096 is too short for an agent; most computers have memory for this. */
const usualContext = 32_768;

const isGptOss = /(?:^|\/)gpt-oss/;

async function* chunksOf(
  client: InstanceType<typeof import("ollama").Ollama>,
  body: ChatRequest & { stream: true },
): AsyncGenerator<ChatResponse, void> {
  const answer = await client.chat(body);
  try {
    yield* answer;
  } finally {
    answer.abort();
  }
}

interface Abilities {
  /** The context length to request; undefined where the server decides. */
  readonly numCtx: number | undefined;
  readonly thinks: boolean;
  readonly facts: ModelFacts;
}

function abilitiesOf(shown: unknown, settings: ProviderSettings): Abilities {
  const { capabilities, model_info: info, remote_host: remote } = isRecord(shown) ? shown : {};
  const can = (ability: string) => (Array.isArray(capabilities) ? capabilities.includes(ability) : undefined);
  const length = contextLength(info);
  // Remote models use no memory of this machine.
  const isRemote = typeof remote === "string" && remote !== "";
  const wanted = settings.contextTokens ?? (isRemote ? length : usualContext);
  const numCtx = wanted === undefined || isRemote ? undefined : Math.min(wanted, length ?? wanted);
  return {
    numCtx,
    thinks: can("thinking") ?? false,
    facts: {
      callsTools: can("tools"),
      seesImages: can("vision") ?? false,
      prices: isRemote ? undefined : { input: 0, output: 0 },
      ...settings.facts,
      contextTokens: numCtx ?? settings.contextTokens ?? length,
    },
  };
}

/** Reads a field such as "llama.context_length", which is named after the architecture. */
function contextLength(info: unknown): number | undefined {
  if (!isRecord(info)) return undefined;
  const architecture = info["general.architecture"];
  const length = info[`${architecture}.context_length`];
  return typeof length === "number" && length > 0 ? length : undefined;
}

const toolsOf = oncePerObject(
  (definitions: readonly ToolDefinition[]) => definitions.map(toOpenAiChat) as unknown as Tool[],
);

/** Counts the characters of a request that the model certainly reads. */
function sizeOf({ system, messages, tools }: ModelRequest): number {
  return messages.reduce((sum, message) => sum + messageSize(message), system.length + toolsSize(tools));
}

const toolsSize = oncePerObject((tools: readonly ToolDefinition[]) => JSON.stringify(toolsOf(tools)).length);

/** Counts neither images nor reasoning, which is dropped from older turns. */
const messageSize = oncePerObject((message: Message): number => {
  if (message.role === "tool") return message.answers.reduce((sum, { content }) => sum + content.length, 0);
  return message.content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
});

function truncationWarning(id: string, tokens: number, numCtx: number | undefined): string {
  const most = numCtx === undefined ? "" : ` of ${numCtx}`;
  return `Ollama read only ${tokens}${most} tokens and dropped part of the conversation. Set a larger \`contextTokens\` for ${id} in models.json, or compact the conversation.`;
}

/**
 * Detects that Ollama silently dropped part of a conversation: it then counts fewer tokens than the text must have,
 * given the ratio in earlier requests.
 */
export class PromptWatch {
  readonly #contextTokens: number;
  /** Tokens per character of the last complete request. */
  #learnt: number | undefined;

  constructor(contextTokens: number) {
    this.#contextTokens = contextTokens;
  }

  /** Whether a request of this many characters was cut, given the tokens that were read. */
  isCut(characters: number, tokens: number): boolean {
    // Old servers do not count what they had cached.
    if (tokens === 0 || characters < fewCharacters) return false;
    const expected = characters * (this.#learnt ?? 0);
    const least = Math.max(characters * fewestTokens, expected * 0.6);
    if (tokens < least || expected > this.#contextTokens * 1.1) return true;
    this.#learnt = Math.min(tokens / characters, mostTokens);
    return false;
  }
}

/** In short requests the framing of messages distorts the ratio. */
const fewCharacters = 4_000;

/** Tokens per character that hardly any text falls below. */
const fewestTokens = 1 / 8;
const mostTokens = 1 / 3;
