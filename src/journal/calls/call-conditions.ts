import type { SummaryFilter } from "../record.ts";

type Value = string | number;

/** Returns the conditions of a filter in SQL, for rows of `CallIndex`. */
export function toConditions(filter: SummaryFilter): {
  readonly conditions: string;
  readonly values: readonly Value[];
} {
  const { session, tool, client, target, verdict, since, before, after, path, text = "" } = filter;
  const parts: (readonly [string, ...(Value | undefined)[]])[] = [
    ["session = ?", session],
    ["tool = ?", tool],
    ["(kind = ? OR name = ?)", client, client],
    ["target = ?", target],
    ["verdict = ?", verdict],
    ["at >= ?", since],
    ["sequence < ?", before],
    ["latest > ?", after],
    ["paths GLOB ?", path ? `*\n${exactly(path)}[\n/]*` : undefined],
    // GLOB is twice as fast as instr.
    ...wordsIn(text).map((word) => ["text GLOB ?", `*${exactly(word)}*`] as const),
    ...(filter.failed ? ([["(outcome IS NOT 'ok' OR message IS NOT NULL)"]] as const) : []),
    ...(filter.ended ? ([["outcome IS NOT NULL"]] as const) : []),
    ...(filter.changing ? ([["changing"]] as const) : []),
  ];
  const given = parts.filter(([, ...values]) => !values.includes(undefined));
  return {
    conditions: ["true", ...given.map(([condition]) => condition)].join(" AND "),
    values: given.flatMap(([, ...values]) => values as Value[]),
  };
}

/** Returns a pattern that matches only this text. */
function exactly(text: string): string {
  return text.replace(/[*?[]/g, "[$&]");
}

function wordsIn(text: string): readonly string[] {
  const words = text.toLowerCase().split(/\s+/);
  return words.filter((word) => word !== "").slice(0, maxWords);
}

/** Each word is another comparison of every row. */
const maxWords = 16;
