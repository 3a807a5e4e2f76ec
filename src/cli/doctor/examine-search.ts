import { searchSettings } from "../../toolcrib/check-options.ts";
import { type Finding, note, well, wrong } from "./finding.ts";

/** Who answers web.search, as far as these variables tell; nobody is asked. */
export function examineSearch(variables: NodeJS.ProcessEnv): Finding {
  const settings = searchSettings(variables);
  if (settings === undefined)
    return note(
      "search",
      "no engine is set up, so that web.search is unavailable",
      "Set TOOLCRIB_SEARCH to one of: searxng https://…, brave, tavily, duckduckgo.",
    );
  if ("problem" in settings) return wrong("search", settings.problem, settings.hint);
  const { engine, url } = settings;
  return well("search", url === undefined ? engine : `${engine} at ${url}`);
}
