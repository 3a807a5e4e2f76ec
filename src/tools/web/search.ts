import * as z from "zod/mini";
import type { Tool } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { askEngine, type FoundResults } from "../../web/engines/ask-engine.ts";
import type { SearchQuestion, SearchResult } from "../../web/engines/engine.ts";
import { engineOf } from "../../web/engines/engines.ts";
import { amount, integer } from "../fields.ts";

export interface WebSearchData extends FoundResults {
  readonly query: string;
  readonly page: number;
  /** The engine that answered: "Brave Search". */
  readonly engine: string;
}

const mostResults = 20;

const input = z.strictObject({
  query: z.string().check(
    z.minLength(1),
    z.maxLength(400),
    z.refine((query) => query.trim() !== "", { error: "is empty: give the search terms" }),
  ),
  limit: amount(1, mostResults, "Default 10."),
  page: integer(1, 10, "Default 1."),
  only_domains: z.optional(domains("Only these domains and their subdomains: docs.rs.")),
  without_domains: z.optional(domains("Exclude these domains.")),
});

/** Finds pages on the web with the engine that the user configured. */
export const webSearch: Tool<z.infer<typeof input>, WebSearchData> = {
  name: "web.search",
  description: "Search the web. Returns titles, URLs and snippets. To read a page use web.fetch.",
  risk: "network",
  hints: { readOnly: true },
  input,
  limits: { maxChars: 30_000, keep: "head" },
  // Without an engine the call would fail, so it fails here, before the user is asked for approval.
  accesses: (_input, settings) =>
    settings === undefined ? [] : [{ kind: "network", host: engineOf(settings).url.hostname }],

  preview: async ({ query }) => `Would search the web for ${JSON.stringify(query)}`,

  async run(
    { query, limit = 10, page = 1, only_domains: only = [], without_domains: without = [] },
    context,
  ) {
    const engine = engineOf(context.settings);
    context.progress(`asking ${engine.name}`);
    const question = { query: queryFor(query.trim(), { only, without }), limit, page };
    const all = await askEngine(engine, question, context);
    // Results are filtered here too, because not every engine applies site filters.
    const found = { ...all, results: all.results.filter(({ url }) => isWanted(url, { only, without })) };
    return {
      data: { query, page, engine: engine.name, ...found },
      text: describe(found, { query, limit, page }),
      continuation: continuationOf(all, limit),
    };
  },
};

/** Says that there are more results on this page, and that `limit` was as large as it can be. */
function continuationOf({ results, more }: FoundResults, limit: number): string | undefined {
  const left = more === 0 ? "" : `${counted(more, "more result")} of this page not shown; `;
  if (limit === mostResults && results.length === limit) return `${left}\`limit\` is at most ${limit}.`;
  return more === 0 ? undefined : `${left}raise \`limit\`.`;
}

function describe({ results, notes }: FoundResults, { query, page }: SearchQuestion): string {
  // Results are numbered from 1 on every page, because few engines document how many results a page has.
  const list = results.map((result, index) => showResult(index + 1, result));
  const head = page === 1 || list.length === 0 ? [] : [`Page ${page}:`];
  const nothing = `Nothing found for ${JSON.stringify(query)}${page === 1 ? "" : ` on page ${page}`}. Try other words.`;
  const remarks = notes.map((note) => `[Note: ${printableLine(note)}]`);
  return [...head, ...(list.length === 0 ? [nothing] : list), ...remarks].join("\n\n");
}

const maxSnippet = 1000;

function showResult(number: number, { title, url, snippet, date }: SearchResult): string {
  const short = snippet.length > maxSnippet ? `${snippet.slice(0, maxSnippet)}…` : snippet;
  const about = [...(date === undefined ? [] : [date]), ...(short === "" ? [] : [short])].join(": ");
  const lines = [`${number}. ${title}`, `   ${url}`, ...(about === "" ? [] : [`   ${about}`])];
  return lines.map(printableLine).join("\n");
}

interface Domains {
  /** The allowed domains; empty for all. */
  readonly only: readonly string[];
  readonly without: readonly string[];
}

export function domains(description: string): z.ZodMiniArray<z.ZodMiniString> {
  const domain = z.string().check(
    z.regex(/^(?!-)[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*$/u, {
      error: 'must be a domain like "docs.rs", without https:// and path',
    }),
  );
  return z.array(domain).check(z.maxLength(20), z.describe(description));
}

/** Returns the query with the engines' site filters. */
export function queryFor(query: string, { only, without }: Domains): string {
  const wanted = only.map((domain) => `site:${domain}`).join(" OR ");
  return [query, ...(wanted === "" ? [] : [wanted]), ...without.map((domain) => `-site:${domain}`)].join(" ");
}

export function isWanted(url: string, { only, without }: Domains): boolean {
  const host = URL.parse(url)?.hostname;
  if (host === undefined) return only.length === 0;
  const isOf = (domain: string) => {
    const name = URL.parse(`https://${domain}`)?.hostname ?? domain;
    return host === name || host.endsWith(`.${name}`);
  };
  return (only.length === 0 || only.some(isOf)) && !without.some(isOf);
}
