import { ToolError } from "../../contract/error.ts";
import type { SearchSettings } from "../../contract/settings.ts";
import { listAt } from "./answers.ts";
import type { Engine } from "./engine.ts";

/** Tavily: made for models, with long snippets. https://docs.tavily.com/documentation/api-reference/endpoint/search */
export function tavily({ key, url }: SearchSettings & { readonly engine: "tavily" }): Engine {
  const address = new URL(url ?? "https://api.tavily.com/search");
  return {
    name: "Tavily",
    url: address,
    key,
    request: ({ query, limit, page }) => {
      // It has no pages: more results are the results so far and others.
      const wanted = limit * page;
      if (limit * (page - 1) >= mostResults)
        throw new ToolError("invalid-input", `Tavily gives no results after the ${mostResults}th`, {
          hint: "Ask in other words, or more exactly.",
        });
      return {
        url: address,
        method: "POST",
        headers: {
          accept: "application/json",
          "content-type": "application/json",
          authorization: `Bearer ${key}`,
        },
        body: JSON.stringify({ query, max_results: Math.min(wanted, mostResults), search_depth: "basic" }),
      };
    },
    read: (answer, { limit, page }) => ({
      results: listAt(answer, ["results"], "Tavily")
        .slice(limit * (page - 1))
        .map(({ title, url, content, published_date }) => ({
          title,
          url,
          snippet: content,
          date: published_date,
        })),
      notes: [],
    }),
    explain: ({ status }) =>
      status === 432 || status === 433
        ? {
            what: "the plan of this key is used up",
            hint: "Look at the account of TAVILY_API_KEY, or set another engine.",
          }
        : undefined,
  };
}

const mostResults = 20;
