/**
 * Counts the tokens that the tool definitions of each dialect cost per request. Prints the table of docs/tokens.md; `--write`
 * updates the page.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import type { ToolDefinition } from "../src/dialects/definition.ts";
import { dialectNames, findDialect } from "../src/dialects/dialects.ts";
import { Toolset } from "../src/dialects/toolset.ts";

export const tokenPage: string = join(import.meta.dirname, "../docs/tokens.md");

/** The costs of one dialect. */
export interface TokenCounts {
  readonly dialect: string;
  readonly listed: Cost;
  /** All tools, including those that `tools.find` finds and the subagent tools. */
  readonly whole: Cost;
}

interface Cost {
  readonly tools: number;
  readonly tokens: number;
}

export async function countTokens(): Promise<readonly TokenCounts[]> {
  return Promise.all(
    dialectNames.map(async (name) => {
      const dialect = await findDialect(name);
      const [listed, whole] = [new Toolset(dialect), new Toolset(dialect, { has: new Set(["agents"]) })];
      return {
        dialect: name,
        listed: costOf(await listed.definitions("listed")),
        whole: costOf(await whole.definitions("all")),
      };
    }),
  );
}

/** Counts name, description and schema, as they are sent to every provider. */
export function tokensOf({ name, description, inputSchema }: ToolDefinition): number {
  return encode(`${name} ${description} ${JSON.stringify(inputSchema)}`).length;
}

export function tokenTable(counts: readonly TokenCounts[]): string {
  const rows = counts.map(
    ({ dialect, listed, whole }) =>
      `| \`${dialect}\` | ${listed.tools} | ${listed.tokens} | ${whole.tools} | ${whole.tokens} |`,
  );
  return [
    "| dialect | listed tools | tokens | all tools | tokens |",
    "|---|---:|---:|---:|---:|",
    ...rows,
  ].join("\n");
}

/** The page with its table replaced. */
export function withTable(page: string, table: string): string {
  return page.replace(/^\| dialect \|(?:.*\n)+?(?=\n|$)/m, `${table}\n`);
}

function costOf(definitions: readonly ToolDefinition[]): Cost {
  return { tools: definitions.length, tokens: definitions.reduce((sum, each) => sum + tokensOf(each), 0) };
}

if (import.meta.main) {
  const table = tokenTable(await countTokens());
  if (process.argv.includes("--write"))
    writeFileSync(tokenPage, withTable(readFileSync(tokenPage, "utf8"), table));
  else console.log(table);
}
