import { ToolError } from "../../contract/error.ts";
import type { SearchSettings, ToolSettings } from "../../contract/tool.ts";
import { duckduckgo } from "./duckduckgo.ts";
import { type Engine, fetchInstead, listAt, parseJson, valueAt } from "./engine.ts";
import { plainText } from "./markup.ts";

/** Returns the configured engine. Throws `unavailable` when there is none, or it cannot be used. */
export function engineOf({ search }: ToolSettings): Engine {
  if (search === undefined)
    throw new ToolError("unavailable", "No web search engine is configured", {
      hint: "Fetch pages whose URL you know with web.fetch, or ask the user to set TOOLCRIB_SEARCH.",
      forUser: {
        hint:
          "Set TOOLCRIB_SEARCH to one of: searxng https://… (self-hosted), brave (with BRAVE_API_KEY), tavily " +
          "(with TAVILY_API_KEY), duckduckgo.",
      },
    });
  if ("problem" in search)
    throw new ToolError("unavailable", `Web search cannot be used: ${search.problem}`, {
      hint: fetchInstead,
      forUser: { hint: search.hint },
    });
  const { url } = search;
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
    throw new ToolError("unavailable", "The URL of the web search engine is not an http or https URL", {
      hint: fetchInstead,
      forUser: { hint: "Set `search.url` to a URL that begins with https://." },
    });
  return openEngine(search);
}

function openEngine(settings: SearchSettings): Engine {
  switch (settings.engine) {
    case "searxng":
      return searxng(settings);
    case "brave":
      return brave({ ...settings, engine: "brave" });
    case "tavily":
      return tavily({ ...settings, engine: "tavily" });
    case "duckduckgo":
      return duckduckgo(settings);
    default:
      throw new ToolError("unavailable", "The web search engine is unknown", {
        hint: fetchInstead,
        forUser: { hint: "Set `search.engine` to one of: searxng, brave, tavily, duckduckgo." },
      });
  }
}

/** Returns Brave Search, which has its own index. https://api-dashboard.search.brave.com/documentation */
function brave({ key, url }: SearchSettings & { readonly engine: "brave" }): Engine {
  const address = new URL(url ?? "https://api.search.brave.com/res/v1/web/search");
  return {
    name: "Brave Search",
    url: address,
    key,
    request: ({ query, limit, page }) => {
      const asked = new URL(address);
      asked.searchParams.set("q", query);
      asked.searchParams.set("count", String(limit));
      asked.searchParams.set("offset", String(page - 1));
      asked.searchParams.set("result_filter", "web");
      return { url: asked, headers: { accept: "application/json", "x-subscription-token": key } };
    },
    read: (answer) => {
      // Brave omits the list if there are no results.
      const isEmpty =
        valueAt(parseJson(answer), ["type"]) === "search" &&
        valueAt(parseJson(answer), ["web"]) === undefined;
      const list = isEmpty ? [] : listAt(answer, ["web", "results"], "Brave Search");
      const results = list.map(({ title, url, description, page_age }) => ({
        title: unmarked(title),
        url,
        snippet: unmarked(description),
        date: page_age,
      }));
      return { results, notes: [] };
    },
    // Brave reports a wrong key with the status of an invalid request.
    explain: (answer) => {
      const code = valueAt(parseJson(answer), ["error", "code"]);
      if (typeof code !== "string" || !code.startsWith("SUBSCRIPTION_TOKEN")) return undefined;
      return {
        what: "it rejected the key",
        hint: fetchInstead,
        hintForUser: "Set BRAVE_API_KEY to the key of your account.",
      };
    },
  };
}

function unmarked(text: unknown): unknown {
  return typeof text === "string" ? plainText(text) : text;
}

/**
 * Returns SearXNG, which asks many engines, needs no key and can be self-hosted.
 * https://docs.searxng.org/dev/search_api.html
 */
function searxng({ url }: SearchSettings & { readonly engine: "searxng" }): Engine {
  const address = new URL(url);
  // Users set the address of the front page, or that of a search.
  if (!/\/search\/?$/.test(address.pathname))
    address.pathname = `${address.pathname.replace(/\/$/, "")}/search`;
  return {
    name: "SearXNG",
    url: address,
    request: ({ query, page }) => {
      const asked = new URL(address);
      asked.searchParams.set("q", query);
      asked.searchParams.set("format", "json");
      asked.searchParams.set("pageno", String(page));
      return { url: asked, headers: { accept: "application/json" } };
    },
    read: (answer) => ({
      results: listAt(answer, ["results"], "SearXNG").map(({ title, url, content, publishedDate }) => ({
        title,
        url,
        snippet: content,
        date: publishedDate,
      })),
      notes: silentEngines(valueAt(parseJson(answer), ["unresponsive_engines"])),
    }),
    explain: ({ status }) =>
      status === 403
        ? {
            what: "it does not allow JSON results",
            hint: fetchInstead,
            hintForUser:
              'Add "json" to search.formats in its settings.yml, or use another instance (most public ones lack it).',
          }
        : undefined,
  };
}

/** Describes the engines that did not answer. SearXNG lists pairs of a name and an error. */
function silentEngines(pairs: unknown): readonly string[] {
  if (!Array.isArray(pairs) || pairs.length === 0) return [];
  const named = pairs.slice(0, 10).map((pair) => {
    const [name = "one", fault] = (Array.isArray(pair) ? pair : [pair]).filter(
      (word) => typeof word === "string",
    );
    return fault === undefined ? name.slice(0, 100) : `${name.slice(0, 100)} (${fault.slice(0, 100)})`;
  });
  return [`These engines did not answer: ${named.join(", ")}.`];
}

/**
 * Returns Tavily, which is made for models and has long snippets.
 * https://docs.tavily.com/documentation/api-reference/endpoint/search
 */
function tavily({ key, url }: SearchSettings & { readonly engine: "tavily" }): Engine {
  const address = new URL(url ?? "https://api.tavily.com/search");
  return {
    name: "Tavily",
    url: address,
    key,
    request: ({ query, limit, page }) => {
      // Tavily has no pages. A larger limit repeats the results so far.
      const wanted = limit * page;
      if (limit * (page - 1) >= mostResults)
        throw new ToolError("invalid-input", `Tavily returns at most ${mostResults} results`, {
          hint: "Use a more specific query.",
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
            what: "the quota of this key is used up",
            hint: fetchInstead,
            hintForUser: "Check the account of TAVILY_API_KEY, or set another engine in TOOLCRIB_SEARCH.",
          }
        : undefined,
  };
}

const mostResults = 20;
