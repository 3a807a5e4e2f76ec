import type { SearchSettings } from "../../contract/settings.ts";
import { listAt, parseJson, valueAt } from "./answers.ts";
import type { Engine } from "./engine.ts";

/** SearXNG: asks many engines, needs no key, and can be run by anybody. https://docs.searxng.org/dev/search_api.html */
export function searxng({ url }: SearchSettings & { readonly engine: "searxng" }): Engine {
  const address = new URL(url);
  // People give the address of the front page, or that of a search.
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
            what: "it does not answer in JSON, or not to us",
            hint: 'Whoever runs it has to add "json" to search.formats in its settings.yml (most public ones leave it out).',
          }
        : undefined,
  };
}

/** Pairs of a name and what is wrong. */
function silentEngines(pairs: unknown): readonly string[] {
  if (!Array.isArray(pairs) || pairs.length === 0) return [];
  const named = pairs.slice(0, 10).map((pair) => {
    const [name = "one", fault] = (Array.isArray(pair) ? pair : [pair]).filter(
      (word) => typeof word === "string",
    );
    return fault === undefined ? name.slice(0, 100) : `${name.slice(0, 100)} (${fault.slice(0, 100)})`;
  });
  return [`These engines did not answer it: ${named.join(", ")}.`];
}
