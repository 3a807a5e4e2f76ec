import type { ResourceLimits, VariablePolicy } from "../../contract/confinement.ts";
import type { Setting } from "./read-setting.ts";

/** What commands are given, and how much they may use, as all rules together say. */
export interface Settings {
  readonly variables: VariablePolicy;
  readonly limits: Partial<ResourceLimits>;
  /** Counts where it is lower: of files that may only tighten. */
  readonly limitsAtMost: Partial<ResourceLimits>;
}

/** The weakest level first: of two lines that say different things the later wins; names to pass add up. */
export function compileSettings(settings: readonly Setting[]): Settings {
  let base: VariablePolicy["base"] = "core";
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
      // Whoever stands above has seen to it.
      delete limitsAtMost[setting.limit];
    }
  }
  return { variables: { base, extra: [...extra] }, limits, limitsAtMost };
}

type Amounts = { -readonly [Name in keyof ResourceLimits]?: number };
