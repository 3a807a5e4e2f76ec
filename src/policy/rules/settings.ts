import type { ResourceLimits, VariablePolicy } from "../../contract/confinement.ts";
import { type LimitName, type LimitSyntax, limitNames, limitSyntax } from "../../lib/resource-limits.ts";
import type { RuleOrigin } from "../policy.ts";
import { endOf, oneOf, RuleSyntaxError, type RuleWord, readWords, unknownWord } from "./rule-words.ts";

/** A line about variables or limits of commands. */
export type Setting = SettingValue & {
  readonly origin: RuleOrigin;
  /** Whether its file is not trusted, so that it counts only if it tightens. */
  readonly onlyTightens?: true | undefined;
};

type SettingValue =
  | { readonly kind: "variables"; readonly base: VariablePolicy["base"] }
  | { readonly kind: "pass"; readonly names: readonly string[] }
  | { readonly kind: "limit"; readonly limit: keyof ResourceLimits; readonly amount: number };

export const settingWords = ["variables", "pass", "limit"] as const;

/** Parses `variables core`, `pass NAME …` or `limit memory 8GB`. Returns undefined for any other line. */
export function readSetting(line: string, origin: RuleOrigin): Setting | undefined {
  if (!/^\s*(?:variables|pass|limit)(?:\s|$)/.test(line)) return undefined;
  const [first, ...words] = readWords(line, { onlyStars: true });
  const value = readers[first!.text as (typeof settingWords)[number]](words, line);
  return { ...value, origin };
}

/** Returns whether a setting can allow more than the default. */
export function mayLoosen(setting: Setting): boolean {
  return setting.kind === "pass" || (setting.kind === "variables" && setting.base !== "none");
}

const readers: Record<
  (typeof settingWords)[number],
  (words: readonly RuleWord[], line: string) => SettingValue
> = {
  variables: ([word, ...more], line) => {
    const base = bases.find((name) => word?.text === name);
    if (base === undefined) throw unknownWord(word ?? endOf(line), oneOf("variables", bases));
    refuseMore(more, `variables ${base}`);
    return { kind: "variables", base };
  },
  pass: (words, line) => {
    if (words.length === 0) throw unknownWord(endOf(line), "add the names of variables after pass");
    const wrong = words.find(({ text }) => !/^[A-Za-z_*][\w*]*$/.test(text));
    if (wrong !== undefined) throw unknownWord(wrong, "use only letters, digits and _; * matches any text");
    return { kind: "pass", names: words.map(({ text }) => text) };
  },
  limit: ([word, amount, ...more], line) => {
    const name = limitNames.find((known) => word?.text === known);
    if (name === undefined) throw unknownWord(word ?? endOf(line), oneOf("limit", limitNames));
    if (amount === undefined)
      throw unknownWord(endOf(line), `add an amount, for example: limit ${limitSyntax[name].example}`);
    refuseMore(more, `limit ${name} ${amount.text}`);
    return { kind: "limit", limit: limitSyntax[name].limit, amount: readAmount(amount, name) };
  },
};

const bases: readonly VariablePolicy["base"][] = ["most", "core", "all", "none"];

function refuseMore([word]: readonly RuleWord[], before: string): void {
  if (word !== undefined) throw unknownWord(word, `remove the words after ${before}`);
}

function readAmount({ text, column }: RuleWord, name: LimitName): number {
  const [, digits, unit] =
    /^(\d{1,15}(?:\.\d{1,3})?)([a-z]*)$/.exec(text.toLowerCase().replace(/ib$/, "b")) ?? [];
  const { units, example }: LimitSyntax = limitSyntax[name];
  const factor = unit !== undefined && Object.hasOwn(units, unit) ? units[unit] : undefined;
  const amount = digits === undefined || factor === undefined ? 0 : Math.floor(Number(digits) * factor);
  if (amount > 0 && Number.isSafeInteger(amount)) return amount;
  const known = Object.keys(units).filter((known) => known !== "");
  const unitsKnown = known.length === 0 ? "" : ` Units: ${known.join(", ").toUpperCase()}.`;
  throw new RuleSyntaxError(
    `"${text}" is not an amount`,
    column,
    `Write for example: limit ${example}.${unitsKnown}`,
  );
}

/** The variables and limits of commands, by all rules together. */
export interface Settings {
  readonly variables: VariablePolicy;
  readonly limits: Partial<ResourceLimits>;
  /** A limit from a file that may only tighten. It counts only if it is lower. */
  readonly limitsAtMost: Partial<ResourceLimits>;
}

/** Applies the weakest level first: of two conflicting lines the later wins, and names to pass add up. */
export function compileSettings(settings: readonly Setting[]): Settings {
  let base: VariablePolicy["base"] = "most";
  const extra = new Set<string>();
  const limits: Amounts = {};
  const limitsAtMost: Amounts = {};
  for (const setting of settings) {
    if (setting.kind === "variables") base = setting.base;
    else if (setting.kind === "pass") for (const name of setting.names) extra.add(name);
    else if (setting.onlyTightens)
      limitsAtMost[setting.limit] = Math.min(setting.amount, limitsAtMost[setting.limit] ?? Infinity);
    else {
      limits[setting.limit] = setting.amount;
      // A limit of a stronger level replaces the earlier ones.
      delete limitsAtMost[setting.limit];
    }
  }
  return { variables: { base, extra: [...extra] }, limits, limitsAtMost };
}

type Amounts = { -readonly [Name in keyof ResourceLimits]?: number };
