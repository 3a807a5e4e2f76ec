import type { SummaryFilter } from "../record.ts";

type Value = string | number;

/** The number of records whose texts one row of `summaries_blocks` has. */
export const blockSize = 256;

/** Returns the parts of an SQL query for the calls of a filter, from the tables of `CallIndex`. */
export function toQuery(filter: SummaryFilter): {
  readonly source: string;
  readonly conditions: string;
  readonly order: string;
  readonly values: readonly Value[];
} {
  const { session, tool, client, target, verdict, since, before, after } = filter;
  const searches = [...pathSearch(filter.path), ...wordSearches(filter.text ?? "")];
  // A session and the latest records are few rows.
  const usesBlocks = searches.length > 0 && session === undefined && after === undefined;
  const parts: (readonly [string, ...(Value | undefined)[]])[] = [
    ...(usesBlocks ? searches.map(([column, pattern]) => [`block.${column} GLOB ?`, pattern] as const) : []),
    ...(usesBlocks ? ([[`block.block <= ? / ${blockSize}`, before]] as const) : []),
    ["session = ?", session],
    ["tool = ?", tool],
    ["(kind = ? OR name = ?)", client, client],
    ["target = ?", target],
    ["verdict = ?", verdict],
    ["at >= ?", since],
    ["sequence < ?", before],
    ["latest > ?", after],
    ...searches.map(([column, pattern]) => [`summaries.${column} GLOB ?`, pattern] as const),
    ...(filter.failed ? ([["(outcome IS NOT 'ok' OR message IS NOT NULL)"]] as const) : []),
    ...(filter.ended ? ([["outcome IS NOT NULL"]] as const) : []),
    ...(filter.changing ? ([["changing"]] as const) : []),
  ];
  const given = parts.filter(([, ...values]) => !values.includes(undefined));
  return {
    source: usesBlocks ? rowsOfBlocks : "summaries",
    conditions: ["true", ...given.map(([condition]) => condition)].join(" AND "),
    order: after !== undefined ? "latest" : usesBlocks ? "block.block DESC, sequence DESC" : "sequence DESC",
    values: given.flatMap(([, ...values]) => values as Value[]),
  };
}

/** CROSS JOIN makes SQLite search the blocks first. */
const rowsOfBlocks = `summaries_blocks AS block CROSS JOIN summaries
  ON sequence BETWEEN block.block * ${blockSize} AND block.block * ${blockSize} + ${blockSize - 1}`;

/** A column and a pattern. A block with a row that matches must match, too. */
type Search = readonly [column: "text" | "paths", pattern: string];

function pathSearch(path: string | undefined): readonly Search[] {
  return path ? [["paths", `*\n${exactly(path)}[\n/]*`]] : [];
}

/** GLOB is twice as fast as instr. */
function wordSearches(text: string): readonly Search[] {
  const words = text.toLowerCase().split(/\s+/);
  const given = words.filter((word) => word !== "").slice(0, maxWords);
  return given.map((word) => ["text", `*${exactly(word)}*`]);
}

/** Each word is another comparison of every row. */
const maxWords = 16;

/** Returns a pattern that matches only this text. */
function exactly(text: string): string {
  return text.replace(/[*?[]/g, "[$&]");
}
