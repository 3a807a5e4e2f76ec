import * as z from "zod/mini";
import { ToolError } from "../contract/error.ts";
import { problemsOf } from "../lib/json/file-problems.ts";
import { lineInJson, parseJsonFile } from "../lib/json/parse-json-file.ts";
import type { ModelFacts } from "./model.ts";
import { type ProviderName, providerNames } from "./providers.ts";

/** The user's settings for models: `models.json` in the config directory. */
export interface ModelSettings {
  /** The default model, `provider/name`. */
  readonly default?: string | undefined;
  /** Other providers whose models subagents may use. They receive what the subagents read. */
  readonly agents?: readonly string[] | undefined;
  /** By the first part of a model id: changes to known providers, and the user's own servers. */
  readonly providers?: Readonly<Record<string, ProviderConfiguration>> | undefined;
  /** Facts by model id, which override what is known. */
  readonly models?: Readonly<Record<string, ModelFacts>> | undefined;
}

export interface ProviderConfiguration {
  /** The API it offers. Default: its own name. Most compatible servers offer `openai-chat`. */
  readonly type?: ProviderName | undefined;
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  /** The environment variable that holds the key. */
  readonly apiKeyFrom?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Ollama: the context length, which costs memory. Default: 32768. */
  readonly contextTokens?: number | undefined;
}

/** Parses `models.json`. Throws `invalid-input` that names the file, the line and the field, never the value. */
export function parseModelSettings(text: string, file: string): ModelSettings {
  const content = parseJsonFile(text, file, example);
  const [problem] = problemsOf(settings, content);
  if (problem === undefined) return content as ModelSettings;
  throw new ToolError("invalid-input", `${file}:${lineInJson(text, problem.path)}: ${problem.message}`, {
    hint: example,
  });
}

const example =
  'Example: {"default": "ollama/qwen3:8b", "providers": {"mine": {"type": "openai-chat", "baseUrl": "http://localhost:1234/v1"}}}';

const text = z.string().check(z.minLength(1, "must not be empty"));
const headerName = z.string().check(z.regex(/^[\w!#$%&'*+.^`|~-]+$/, "must be the name of a header"));
const headerValue = z.string().check(z.regex(/^[\t\x20-\x7e]*$/, "must be one line of ASCII"));
const tokens = z.int().check(z.minimum(1, "must be a whole number from 1"));
const dollars = z.number().check(z.minimum(0, "must not be negative"));
const prices = {
  input: dollars,
  output: dollars,
  cached: z.optional(dollars),
  cacheWritten: z.optional(dollars),
};

const provider = z.strictObject({
  type: z.optional(z.enum(providerNames)),
  baseUrl: z.optional(text),
  apiKey: z.optional(text),
  apiKeyFrom: z.optional(text),
  headers: z.optional(z.record(headerName, headerValue)),
  contextTokens: z.optional(tokens),
});

const model = z.strictObject({
  contextTokens: z.optional(tokens),
  maxOutputTokens: z.optional(tokens),
  prices: z.optional(z.strictObject({ ...prices, over: z.optional(z.strictObject({ ...prices, tokens })) })),
  callsTools: z.optional(z.boolean()),
  seesImages: z.optional(z.boolean()),
  defersTools: z.optional(z.boolean()),
  editsByAnchors: z.optional(z.boolean()),
});

const settings = z.strictObject({
  default: z.optional(text),
  agents: z.optional(z.array(text)),
  providers: z.optional(z.record(z.string(), provider)),
  models: z.optional(z.record(z.string(), model)),
});
