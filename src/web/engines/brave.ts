import type { SearchSettings } from "../../contract/settings.ts";
import { listAt, parseJson, valueAt } from "./answers.ts";
import type { Engine } from "./engine.ts";
import { plainText } from "./markup.ts";

/** Brave Search: an index of its own. https://api-dashboard.search.brave.com/documentation */
export function brave({ key, url }: SearchSettings & { readonly engine: "brave" }): Engine {
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
      // Without any result there is no list of them either.
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
    // It says that a key is wrong with the status of a request that is.
    explain: (answer) => {
      const code = valueAt(parseJson(answer), ["error", "code"]);
      if (typeof code !== "string" || !code.startsWith("SUBSCRIPTION_TOKEN")) return undefined;
      return { what: "it does not accept the key", hint: "Set BRAVE_API_KEY to the key of your account." };
    },
  };
}

function unmarked(text: unknown): unknown {
  return typeof text === "string" ? plainText(text) : text;
}
