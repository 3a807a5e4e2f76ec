import * as z from "zod/mini";
import { dialectNames } from "../dialects/dialects.ts";
import { predicateOf } from "../lib/json/file-problems.ts";
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
  /** The valid values: a few texts, any line of text, or a number. */
  readonly schema: z.ZodMiniType;
  readonly default?: SettingValue;
  /** The environment variable that takes precedence over the files. */
  readonly variable?: string;
  /** The option of the command line that takes precedence over everything. */
  readonly option?: string;
  /** Why a project never sets it, not even a trusted one: the end of a sentence. */
  readonly ownFileOnly?: string;
  /**
   * Whether a project that the user does not trust may replace `before`, which is undefined without a limit. Set for every
   * setting that restricts: a mistake in it stops every call.
   */
  readonly tightens?: (value: SettingValue, before: SettingValue | undefined) => boolean;
}

const line = z
  .string()
  .check(z.refine((text) => text.trim() !== "" && printableLine(text) === text, "must be one line of text"));

const strictest = ["yolo", "cautious", "safe", "paranoid"];
const isLower = (value: SettingValue, before: SettingValue | undefined) =>
  before === undefined || value < before;
const protection = (level: SettingValue | undefined) => (level === "none" ? 0 : level === "auto" ? 1 : 2);

/** All settings with a single value, in the order `config list` shows them. */
export const settings: readonly Setting[] = [
  {
    key: "model",
    summary: "The model: provider/name. Default: the first that `toolcrib models` finds.",
    schema: line,
    variable: "TOOLCRIB_MODEL",
    option: "model",
  },
  {
    key: "reasoning",
    summary: "The reasoning effort. Default: the model's own.",
    schema: z.enum(reasoningEfforts),
    option: "reasoning",
  },
  {
    key: "mode",
    summary: "What runs without approval.",
    schema: z.enum(policyModes),
    default: "cautious",
    option: "mode",
    tightens: (value, before) => strictest.indexOf(String(value)) > strictest.indexOf(String(before)),
  },
  {
    key: "sandbox",
    summary: "The sandbox of commands.",
    schema: z.enum(sandboxSettings),
    default: "auto",
    variable: "TOOLCRIB_SANDBOX",
    option: "sandbox",
    tightens: (value, before) => protection(value) > protection(before),
  },
  {
    key: "dialect",
    summary: "Tool names and arguments. Default: the model's own; `toolcrib` for MCP.",
    schema: z.enum(dialectNames),
    option: "dialect",
  },
  {
    key: "theme",
    summary: "The colours of `toolcrib chat`: those of the terminal, or none.",
    schema: z.enum(["auto", "none"]),
    default: "auto",
  },
  {
    key: "notifications",
    summary: "How `toolcrib chat` reports that it waits for you.",
    schema: z.enum(["auto", "bell", "desktop", "none"]),
    default: "auto",
  },
  {
    key: "webhook",
    summary: "An address that `toolcrib console` notifies of questions, as ntfy takes it.",
    schema: line,
    ownFileOnly: "a project cannot choose where questions are sent; only your own config.toml can",
  },
  {
    key: "embeddings",
    summary: "The embedding model of code.search: provider/name. Code is sent to it. Default: none.",
    schema: line,
    ownFileOnly: "a project cannot choose where code is sent; only your own config.toml can",
  },
  {
    key: "limits.rounds",
    summary: "Model requests per turn.",
    schema: z.int().check(z.minimum(1, "must be a whole number from 1")),
    default: 200,
    option: "max-rounds",
    tightens: isLower,
  },
  {
    key: "limits.cost",
    summary: "US dollars per session. Default: no limit.",
    schema: z.number().check(z.positive("must be a number above 0")),
    option: "max-cost",
    tightens: isLower,
  },
];

export function findSetting(key: string): Setting | undefined {
  return settings.find((setting) => setting.key === key);
}

/** Returns the values of a setting that has only a few. */
export function choicesOf({ schema }: Setting): readonly string[] | undefined {
  return schema instanceof z.ZodMiniEnum ? schema.options.map(String) : undefined;
}

/** Whether messages may have the value of a setting: a text may be a secret. */
export function mayShow(setting: Setting | undefined): boolean {
  return setting !== undefined && !(setting.schema instanceof z.ZodMiniString);
}

export function isNumber({ schema }: Setting): boolean {
  return schema instanceof z.ZodMiniNumber;
}

/** Returns what is wrong with a value, as the end of a sentence that begins with the key; undefined when it is valid. */
export function problemOf({ schema }: Setting, value: unknown): string | undefined {
  const [issue] = schema.safeParse(value, { reportInput: true }).error?.issues ?? [];
  return issue && predicateOf(issue);
}

/** Names an unknown key, and the known key that it probably means. */
export function unknownKey(key: string, known: Iterable<string>): string {
  const near = nearest(key, known);
  return `unknown key ${printableLine(key).slice(0, 100)}${near ? `; did you mean ${near}?` : ""}`;
}
