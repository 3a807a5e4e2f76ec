import * as z from "zod/mini";
import { ToolError } from "../contract/error.ts";
import { nearest } from "../lib/nearest.ts";
import type { ModelFacts } from "./model.ts";
import { type ProviderName, providerNames } from "./providers.ts";

/** What a person has set about models: the content of `models.json` in their own config directory. */
export interface ModelSettings {
  /** The model that is asked where nobody says which, `provider/name`. */
  readonly default?: string | undefined;
  /** Providers whose models subagents may be given, beside the one that the session itself uses: what they read goes there. */
  readonly agents?: readonly string[] | undefined;
  /** By the first part of a model's id: providers that are known, reached otherwise, and servers of one's own. */
  readonly providers?: Readonly<Record<string, ProviderConfiguration>> | undefined;
  /** Facts by the id of a model, instead of what is known of it. */
  readonly models?: Readonly<Record<string, ModelFacts>> | undefined;
}

export interface ProviderConfiguration {
  /** Whose API it speaks; its own name if not said. `openai-chat` is what most compatible servers speak. */
  readonly type?: ProviderName | undefined;
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  /** The environment variable that holds the key. */
  readonly apiKeyFrom?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Ollama: the most that it reads, which costs memory; 32768 if not said. */
  readonly contextTokens?: number | undefined;
}

/** The settings that a text of JSON holds. Throws `invalid-input` that names the file and the field, and never what stands there. */
export function parseModelSettings(text: string, file: string): ModelSettings {
  const parsed = settings.safeParse(jsonOf(text, file));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ToolError("invalid-input", `${file}: ${problemOf(issue!)}`, {
    hint: 'It looks like {"default": "ollama/qwen3:8b", "providers": {"mine": {"type": "openai-chat", "baseUrl": "http://localhost:1234/v1"}}}.',
  });
}

const text = z.string().check(z.minLength(1));
const headerName = z.string().check(z.regex(/^[\w!#$%&'*+.^`|~-]+$/));
const headerValue = z.string().check(z.regex(/^[\t\x20-\x7e]*$/));
const tokens = z.int().check(z.minimum(1));
const dollars = z.number().check(z.minimum(0));
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
});

const settings = z.strictObject({
  default: z.optional(text),
  agents: z.optional(z.array(text)),
  providers: z.optional(z.record(z.string(), provider)),
  models: z.optional(z.record(z.string(), model)),
});

const fields = [
  ...Object.keys(settings.shape),
  ...Object.keys(provider.shape),
  ...Object.keys(model.shape),
  ...Object.keys(prices),
  "over",
  "tokens",
];

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // Whatever else it says shows what stands there, which may be a key.
    const [, place] = /\(?(line \d+,? column \d+)\)?/.exec((cause as Error).message) ?? [];
    throw new ToolError("invalid-input", `${file} is no JSON${place === undefined ? "" : `: see ${place}`}`);
  }
}

function problemOf(issue: z.core.$ZodIssue): string {
  const field = issue.path.map(String).join(".");
  switch (issue.code) {
    case "unrecognized_keys": {
      const [key = ""] = issue.keys;
      const meant = nearest(key, fields);
      return `there is no field ${[field, key].filter(Boolean).join(".")}${meant ? `; did you mean ${meant}?` : ""}`;
    }
    case "invalid_value":
      return `${field} must be one of ${issue.values.join(", ")}`;
    case "invalid_type":
      return `${field || "the whole of it"} must be ${kinds[issue.expected] ?? issue.expected}`;
    default:
      return `${field} is not valid`;
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
};
