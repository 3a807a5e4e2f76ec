import { ToolError } from "../../contract/error.ts";
import type { SearchSettings } from "../../contract/tool.ts";
import { type Engine, type FoundPage, textOf, unknownForm } from "./engine.ts";
import { readMarkup } from "./markup.ts";

/** Returns DuckDuckGo, by its page for browsers without scripts. It needs no key and blocks frequent requests. */
export function duckduckgo({ url }: SearchSettings & { readonly engine: "duckduckgo" }): Engine {
  const address = new URL(url ?? "https://html.duckduckgo.com/html/");
  return {
    name: "DuckDuckGo",
    url: address,
    request: ({ query, page }) => ({
      url: address,
      method: "POST",
      headers: { accept: "text/html", "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ q: query, b: "", ...(page > 1 ? pageFields(page) : {}) }).toString(),
    }),
    read: ({ body }) => {
      const html = textOf(body);
      const results = resultsIn(html);
      if (results.length === 0 && isChallenge(html)) throw challenged();
      if (results.length === 0 && !isEmptyList(html))
        throw unknownForm("DuckDuckGo", "is not a page of results");
      return { results, notes: [] };
    },
    explain: ({ status, body }) => (status === 202 || isChallenge(textOf(body)) ? challenge : undefined),
  };
}

function pageFields(page: number): Readonly<Record<string, string>> {
  const skipped = (page - 1) * 10;
  return { s: String(skipped), dc: String(skipped + 1), v: "l", o: "json", api: "d.js" };
}

/** Reads both page layouts, "html" and "lite". */
function resultsIn(html: string): readonly FoundPage[] {
  const results: { title: string; url: string | undefined; snippet: string }[] = [];
  let reading: { readonly field: "title" | "snippet"; readonly name: string } | undefined;
  readMarkup(html, {
    start: (name, attributes) => {
      const classes = (attributes.get("class") ?? "").split(/\s+/);
      if (classes.some((word) => word === "result__a" || word === "result-link")) {
        results.push({ title: "", url: targetOf(attributes.get("href") ?? ""), snippet: "" });
        reading = { field: "title", name };
      } else if (classes.some((word) => word === "result__snippet" || word === "result-snippet")) {
        reading = results.length === 0 ? undefined : { field: "snippet", name };
      }
    },
    end: (name) => {
      if (name === reading?.name) reading = undefined;
    },
    text: (text) => {
      if (reading !== undefined) results.at(-1)![reading.field] += text;
    },
  });
  // Advertisements have no target URL.
  return results.filter(({ url }) => url !== undefined);
}

/** Returns the target of a link, which goes through a redirect. */
function targetOf(href: string): string | undefined {
  const url = URL.parse(href, "https://duckduckgo.com/");
  if (url === null || !/(?:^|\.)duckduckgo\.com$/.test(url.hostname)) return url?.href;
  if (/^\/y\.js/.test(url.pathname)) return undefined;
  return url.pathname.startsWith("/l/") ? (url.searchParams.get("uddg") ?? undefined) : url.href;
}

function isChallenge(html: string): boolean {
  return /anomaly-modal|anomaly\.js|challenge-form|bots use DuckDuckGo/.test(html);
}

function isEmptyList(html: string): boolean {
  return /no-results|No\s+(?:more\s+)?results/i.test(html);
}

const challenge = {
  what: "it asks for a CAPTCHA",
  hint: "Search again in a few minutes, or fetch pages whose URL you know with web.fetch.",
  hintForUser:
    "Wait a few minutes, or set another engine: TOOLCRIB_SEARCH=searxng https://…, brave or tavily.",
};

function challenged(): ToolError {
  return new ToolError("unavailable", `DuckDuckGo did not answer: ${challenge.what}`, {
    hint: challenge.hint,
    forUser: { hint: challenge.hintForUser },
  });
}
