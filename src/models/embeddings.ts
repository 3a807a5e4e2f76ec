import { setTimeout as sleep } from "node:timers/promises";
import type { Reading } from "../contract/code.ts";
import { type Embedder, type EmbeddingRequest, type Embeddings, mostTexts } from "../contract/embeddings.ts";
import { ToolError } from "../contract/error.ts";
import { throwIfAborted } from "../lib/async/abort.ts";
import { isRecord } from "../lib/json/is-record.ts";
import { tryParseJson } from "../lib/json/try-parse-json.ts";
import { secretsOf, toModelError } from "./classify-provider-error.ts";
import { ModelError } from "./model-error.ts";
import { parseModelId } from "./open-model.ts";
import { type ProviderAccess, providerAccess } from "./provider-access.ts";
import { providerFetch } from "./providers/provider-fetch.ts";
import type { ModelSettings } from "./settings.ts";

/** Deadlines and waits, which only tests change. */
export interface EmbedderLimits {
  /** A search waits for the vector of its question. */
  readonly queryMs: number;
  readonly documentsMs: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  readonly retries: number;
}

const defaults: EmbedderLimits = {
  queryMs: 5_000,
  documentsMs: 60_000,
  firstWaitMs: 1_000,
  longestWaitMs: 60_000,
  retries: 4,
};

/**
 * Opens an embedding model by its id, `provider/name`, with the keys and addresses of the model providers. Contacts
 * no server. Throws `invalid-input` when the provider is unknown, has no embeddings, or lacks a key.
 */
export function openEmbedder(
  id: string,
  settings: ModelSettings = {},
  variables: NodeJS.ProcessEnv = process.env,
  limits: Partial<EmbedderLimits> = {},
): Embedder {
  const { provider, name } = parseModelId(id);
  const withVoyage = { ...settings, providers: { voyage, ...settings.providers } };
  const access = providerAccess(provider, withVoyage, variables);
  const isVoyage = access.name === "voyage";
  if (access.type === "anthropic" || access.type === "google")
    throw new ToolError("invalid-input", `Toolcrib cannot use embeddings of ${access.api.label}`, {
      hint: "Use for example ollama/nomic-embed-text, openai/text-embedding-3-small or voyage/voyage-code-3.",
    });
  if (access.lacksKey || (isVoyage && access.secret === undefined && access.baseUrl === voyage.baseUrl))
    throw new ToolError(
      "invalid-input",
      `No key for ${isVoyage ? "Voyage" : access.api.label} is configured`,
      {
        hint: `Set ${isVoyage ? voyage.apiKeyFrom : access.api.keys.join(" or ")}.`,
      },
    );
  const endpoint: Endpoint = { access, name, isVoyage, limits: { ...defaults, ...limits } };
  return {
    model: `${access.name}/${name}`,
    address: new URL(access.baseUrl).origin,
    embed: (request, reading) => embed(endpoint, request, reading),
  };
}

/** Voyage offers only embeddings, in the format of OpenAI. */
const voyage = {
  type: "openai-chat",
  baseUrl: "https://api.voyageai.com/v1",
  apiKeyFrom: "VOYAGE_API_KEY",
} as const;

interface Endpoint {
  readonly access: ProviderAccess;
  readonly name: string;
  readonly isVoyage: boolean;
  readonly limits: EmbedderLimits;
}

/** Throws only errors for users, `unavailable` with a hint. */
async function embed(endpoint: Endpoint, request: EmbeddingRequest, reading: Reading): Promise<Embeddings> {
  try {
    return await embedOrHalve(endpoint, request, reading);
  } catch (error) {
    throwIfAborted(reading.signal);
    if (!(error instanceof ModelError)) throw error;
    const { name } = endpoint.access;
    throw new ToolError("unavailable", `No embeddings from ${name}: ${error.message}`, {
      hint: error.hint ?? "Check the setting `embeddings`: toolcrib config get embeddings",
    });
  }
}

/** Sends fewer texts when some are refused, for example because one is too long. */
async function embedOrHalve(
  endpoint: Endpoint,
  request: EmbeddingRequest,
  reading: Reading,
): Promise<Embeddings> {
  const { texts } = request;
  try {
    return await withRetries(endpoint, request, reading);
  } catch (error) {
    const isRefusal =
      error instanceof ModelError && (error.code === "overflow" || error.code === "bad-request");
    if (!isRefusal || error.status === undefined || error.status < 400 || request.purpose === "query")
      throw error;
    // When even a short text is refused, the request is wrong, not the texts.
    await withRetries(endpoint, { ...request, texts: ["text"] }, reading);
    if (texts.length === 1) return { vectors: [undefined], tokens: 0 };
    const middle = Math.ceil(texts.length / 2);
    const first = await embedOrHalve(endpoint, { ...request, texts: texts.slice(0, middle) }, reading);
    const second = await embedOrHalve(endpoint, { ...request, texts: texts.slice(middle) }, reading);
    return { vectors: [...first.vectors, ...second.vectors], tokens: first.tokens + second.tokens };
  }
}

/** Retries what may pass, as late as the server asks. A question is not worth the wait. */
async function withRetries(
  endpoint: Endpoint,
  request: EmbeddingRequest,
  reading: Reading,
): Promise<Embeddings> {
  const { firstWaitMs, longestWaitMs, retries } = endpoint.limits;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await exchange(endpoint, request, reading);
    } catch (error) {
      throwIfAborted(reading.signal);
      if (!(error instanceof ModelError) || !error.isPassing || request.purpose === "query") throw error;
      const waitMs = error.retryAfterMs ?? firstWaitMs * 2 ** attempt;
      if (attempt >= retries || waitMs > longestWaitMs) throw error;
      await sleep(waitMs, undefined, { signal: reading.signal }).catch(() => throwIfAborted(reading.signal));
    }
  }
}

async function exchange(
  { access, name, isVoyage, limits }: Endpoint,
  { texts, purpose }: EmbeddingRequest,
  { signal }: Reading,
): Promise<Embeddings> {
  const { baseUrl, secret, headers, type } = access;
  const format = type === "ollama" ? ollamaFormat : openAiFormat;
  const body = { ...format.body(name, texts), ...(isVoyage && { input_type: purpose }) };
  const timeMs = purpose === "query" ? limits.queryMs : limits.documentsMs;
  const deadline = AbortSignal.timeout(timeMs);
  const url = `${baseUrl}${format.path}`;
  try {
    const response = await providerFetch(url, {
      method: "POST",
      headers: {
        ...headers,
        ...(secret && { authorization: `Bearer ${secret.value}` }),
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, deadline]),
    });
    const text = await readText(response);
    // The shape in which the provider packages report a failed request.
    if (!response.ok)
      throw {
        name: "AI_APICallError",
        message: "",
        statusCode: response.status,
        responseHeaders: Object.fromEntries(response.headers),
        responseBody: text,
        url,
      };
    return readEmbeddings(format.read(tryParseJson(text)), texts);
  } catch (error) {
    if (deadline.aborted)
      throw new ModelError("timeout", `${new URL(url).origin} did not answer within ${timeMs / 1000} s.`);
    const secrets = secretsOf({ apiKey: secret?.value, headers });
    // A failed connection does not name its address.
    const named = error instanceof TypeError ? Object.assign(error, { url }) : error;
    throw toModelError(named, { provider: access.name, model: name, secrets });
  }
}

interface WireFormat {
  readonly path: string;
  body(model: string, texts: readonly string[]): object;
  /** Returns the vectors in the order of the texts, unchecked. */
  read(answer: unknown): { readonly vectors: unknown; readonly tokens: unknown };
}

/** Also the format of Voyage, which rejects `encoding_format: "float"`. Floats are the default everywhere. */
const openAiFormat: WireFormat = {
  path: "/embeddings",
  body: (model, input) => ({ model, input }),
  read: (answer) => {
    const { data, usage } = isRecord(answer) ? answer : {};
    const items = Array.isArray(data) ? data.filter(isRecord) : [];
    const ordered = items.toSorted((one, other) => Number(one.index ?? 0) - Number(other.index ?? 0));
    const tokens = isRecord(usage) ? usage.total_tokens : undefined;
    return { vectors: ordered.map(({ embedding }) => embedding), tokens };
  },
};

const ollamaFormat: WireFormat = {
  path: "/api/embed",
  body: (model, input) => ({ model, input, truncate: true }),
  read: (answer) => {
    const { embeddings, prompt_eval_count: tokens } = isRecord(answer) ? answer : {};
    return { vectors: embeddings, tokens };
  },
};

/** Checks an answer, which a hostile server may have written. */
function readEmbeddings(
  { vectors, tokens }: ReturnType<WireFormat["read"]>,
  texts: readonly string[],
): Embeddings {
  if (!Array.isArray(vectors) || vectors.length !== texts.length)
    throw invalid("not one vector for each text");
  const dimensions: unknown = Array.isArray(vectors[0]) ? vectors[0].length : undefined;
  if (typeof dimensions !== "number" || dimensions < 1 || dimensions > mostDimensions)
    throw invalid("not vectors of numbers");
  const checked = vectors.map((vector: unknown) => {
    if (!Array.isArray(vector) || vector.length !== dimensions) throw invalid("vectors of different lengths");
    const values = Float32Array.from(vector, (value) => (typeof value === "number" ? value : Number.NaN));
    const length = values.reduce((sum, value) => sum + value * value, 0);
    if (!Number.isFinite(length) || length === 0) throw invalid("a vector that is not a direction");
    return values;
  });
  const isCount = typeof tokens === "number" && Number.isSafeInteger(tokens) && tokens > 0;
  const chars = texts.reduce((sum, { length }) => sum + length, 0);
  return {
    vectors: checked,
    tokens: isCount ? Math.min(tokens, chars + texts.length) : Math.ceil(chars / 4),
  };
}

const mostDimensions = 8192;

function invalid(problem: string): ModelError {
  return new ModelError("bad-request", `The answer has ${problem}.`, {
    hint: "Check that the setting `embeddings` names an embedding model.",
  });
}

/** Reads a reply up to a limit. 32 vectors of 8,192 numbers take about 6 MB. */
async function readText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > maxReplyBytes)
      throw new ModelError("bad-request", `The answer is longer than ${maxReplyBytes / 1024 ** 2} MB.`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

const maxReplyBytes: number = mostTexts * 1024 ** 2;
