import { dialectNames } from "../dialects/dialects.ts";
import { nearest } from "../lib/text/nearest.ts";
import { printableLine } from "../lib/text/printable.ts";
import { reasoningEfforts } from "../models/model.ts";
import { policyModes } from "../policy/policy.ts";
import { sandboxSettings } from "../toolcrib/options.ts";

export type SettingValue = string | number;

/** One setting of `config.toml` with a single value. */
export interface Setting {
  /** The key, with a dot for a key in a table. */
  readonly key: string;
  readonly summary: string;
  readonly type: "string" | "integer" | "number";
  readonly choices?: readonly string[];
  readonly default?: SettingValue;
  /** The environment variable that takes precedence over the files. */
  readonly variable?: string;
  /** The option of the command line that takes precedence over everything. */
  readonly option?: string;
  /** Why a project never sets it, not even a trusted one: the end of a sentence. */
  readonly ownFileOnly?: string;
  /** Whether a project that the user does not trust may replace `before`, which is undefined without a limit. */
  readonly tightens?: (value: SettingValue, before: SettingValue | undefined) => boolean;
}

const strictest = ["yolo", "cautious", "safe", "paranoid"];
const isLower = (value: SettingValue, before: SettingValue | undefined) =>
  before === undefined || value < before;
const protection = (level: SettingValue | undefined) => (level === "none" ? 0 : level === "auto" ? 1 : 2);

/** All settings with a single value, in the order `config list` shows them. */
export const settings: readonly Setting[] = [
  {
    key: "model",
    summary: "The model: provider/name. Default: the first that `toolcrib models` finds.",
    type: "string",
    variable: "TOOLCRIB_MODEL",
    option: "model",
  },
  {
    key: "reasoning",
    summary: "The reasoning effort. Default: the model's own.",
    type: "string",
    choices: reasoningEfforts,
    option: "reasoning",
  },
  {
    key: "mode",
    summary: "What runs without approval.",
    type: "string",
    choices: policyModes,
    default: "cautious",
    option: "mode",
    tightens: (value, before) => strictest.indexOf(String(value)) > strictest.indexOf(String(before)),
  },
  {
    key: "sandbox",
    summary: "The sandbox of commands.",
    type: "string",
    choices: sandboxSettings,
    default: "auto",
    variable: "TOOLCRIB_SANDBOX",
    option: "sandbox",
    tightens: (value, before) => protection(value) > protection(before),
  },
  {
    key: "dialect",
    summary: "Tool names and arguments. Default: the model's own; `toolcrib` for MCP.",
    type: "string",
    choices: dialectNames,
    option: "dialect",
  },
  {
    key: "theme",
    summary: "The colours of `toolcrib chat`: those of the terminal, or none.",
    type: "string",
    choices: ["auto", "none"],
    default: "auto",
  },
  {
    key: "notifications",
    summary: "How `toolcrib chat` reports that it waits for you.",
    type: "string",
    choices: ["auto", "bell", "desktop", "none"],
    default: "auto",
  },
  {
    key: "webhook",
    summary: "An address that `toolcrib console` notifies of questions, as ntfy takes it.",
    type: "string",
  },
  {
    key: "embeddings",
    summary: "The embedding model of code.search: provider/name. Code is sent to it. Default: none.",
    type: "string",
    ownFileOnly: "a project cannot choose where code is sent; only your own config.toml can",
  },
  {
    key: "limits.rounds",
    summary: "Model requests per turn.",
    type: "integer",
    default: 200,
    option: "max-rounds",
    tightens: isLower,
  },
  {
    key: "limits.cost",
    summary: "US dollars per session. Default: no limit.",
    type: "number",
    option: "max-cost",
    tightens: isLower,
  },
];

export function findSetting(key: string): Setting | undefined {
  return settings.find((setting) => setting.key === key);
}

/** Returns what is wrong with a value, as the end of a sentence that begins with the key; undefined when it is valid. */
export function problemOf({ type, choices, key }: Setting, value: unknown): string | undefined {
  if (choices !== undefined) {
    if (typeof value === "string" && choices.includes(value)) return undefined;
    const near = typeof value === "string" ? nearest(value, choices) : undefined;
    return `must be one of ${choices.join(", ")}${near ? `; did you mean ${near}?` : ""}`;
  }
  if (type === "string")
    return typeof value === "string" && value.trim() !== "" && printableLine(value) === value
      ? undefined
      : `must be a string${examples[key] ? `, such as ${examples[key]}` : ""}`;
  const isNumber = typeof value === "number" && Number.isFinite(value) && value > 0;
  if (type === "integer")
    return isNumber && Number.isInteger(value) ? undefined : "must be a whole number from 1";
  return isNumber ? undefined : "must be a number above 0";
}

const examples: Readonly<Record<string, string>> = {
  model: "anthropic/claude-sonnet-5",
  embeddings: "ollama/nomic-embed-text",
};

/** Names an unknown key, and the known key that it probably means. */
export function unknownKey(key: string, known: Iterable<string>): string {
  const near = nearest(key, known);
  return `unknown key ${printableLine(key).slice(0, 100)}${near ? `; did you mean ${near}?` : ""}`;
}
