import { ToolError } from "../../contract/error.ts";
import type { SearchSettings, Settings } from "../../contract/settings.ts";
import { brave } from "./brave.ts";
import { duckduckgo } from "./duckduckgo.ts";
import type { Engine } from "./engine.ts";
import { searxng } from "./searxng.ts";
import { tavily } from "./tavily.ts";

/** The engine that is set up. `unavailable` where none is, or it cannot be used, with how to set up one. */
export function engineOf({ search }: Settings): Engine {
  if (search === undefined)
    throw new ToolError("unavailable", "No search engine is set up for web.search", {
      hint:
        "The person can set TOOLCRIB_SEARCH to one of: searxng https://… (self-hosted), brave (with BRAVE_API_KEY), tavily " +
        "(with TAVILY_API_KEY), duckduckgo. Until then fetch pages whose URL you know with web.fetch.",
    });
  if ("problem" in search)
    throw new ToolError("unavailable", `web.search cannot be used: ${search.problem}`, { hint: search.hint });
  const { url } = search;
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
    throw new ToolError(
      "unavailable",
      `web.search cannot be used: its engine has no address in http or https`,
      {
        hint: "Give `search.url` as https://….",
      },
    );
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
      throw new ToolError("unavailable", "web.search cannot be used: there is no such engine", {
        hint: "Known: searxng, brave, tavily, duckduckgo.",
      });
  }
}
