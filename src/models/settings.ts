import * as z from "zod/mini";
import { ToolError } from "../contract/error.ts";
import { nearest } from "../lib/text/nearest.ts";
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

/** Parses `models.json`. Throws `invalid-input` that names the file and the field, never the value. */
export function parseModelSettings(text: string, file: string): ModelSettings {
  const parsed = settings.safeParse(jsonOf(text, file));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ToolError("invalid-input", `${file}: ${problemOf(issue!)}`, {
    hint: 'Example: {"default": "ollama/qwen3:8b", "providers": {"mine": {"type": "openai-chat", "baseUrl": "http://localhost:1234/v1"}}}',
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
  defersTools: z.optional(z.boolean()),
  editsByAnchors: z.optional(z.boolean()),
});

const settings = z.strictObject({
  default: z.optional(text),
  agents: z.optional(z.array(text)),
  providers: z.optional(z.record(z.string(), provider)),
  models: z.optional(z.record(z.string(), model)),
});

const shapes = [settings.shape, provider.shape, model.shape, prices, { over: 1, tokens: 1 }];
const fields = shapes.flatMap(Object.keys);

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The rest of the message quotes the file, which may hold a key. JSON.parse gives the position only in its message.
    const [, position] = /\(?(line \d+,? column \d+)\)?/.exec((cause as Error).message) ?? [];
    throw new ToolError("invalid-input", `${file} is not valid JSON${position ? ` at ${position}` : ""}`);
  }
}

function problemOf(issue: z.core.$ZodIssue): string {
  const field = issue.path.map(String).join(".");
  switch (issue.code) {
    case "unrecognized_keys": {
      const [key = ""] = issue.keys;
      const near = nearest(key, fields);
      return `unknown field ${[field, key].filter(Boolean).join(".")}${near ? `; did you mean ${near}?` : ""}`;
    }
    case "invalid_value":
      return `${field} must be one of ${issue.values.join(", ")}`;
    case "invalid_type":
      return `${field || "the file"} must be ${kinds[issue.expected] ?? issue.expected}`;
    default:
      return `${field} is not valid`;
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
};
