import type { SearchSettings } from "../contract/settings.ts";

/** Who answers web.search, as the variables TOOLCRIB_SEARCH, BRAVE_API_KEY and TAVILY_API_KEY say; undefined for nobody. */
export function searchSettings(_variables: NodeJS.ProcessEnv): SearchSettings | undefined {
  return undefined;
}
