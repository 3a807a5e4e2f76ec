import type { SearchSettings, UnusableSetting } from "../contract/settings.ts";

/**
 * Who answers web.search, as the variables TOOLCRIB_SEARCH, BRAVE_API_KEY and TAVILY_API_KEY say; undefined for nobody.
 * What is wrong with them is told by the first search: most rooms never search.
 */
export function searchSettings(variables: NodeJS.ProcessEnv): SearchSettings | UnusableSetting | undefined {
  const words = (variables.TOOLCRIB_SEARCH ?? "").trim().split(/\s+/);
  const [engine = "", url, ...more] = words;
  if (engine === "") return undefined;
  if (more.length > 0) return unusable("has more than a name and a URL");
  switch (engine.toLowerCase()) {
    case "searxng":
      if (url === undefined) return unusable("names searxng without its URL");
      return isWebUrl(url) ? { engine: "searxng", url } : unusable(`has no URL behind searxng`);
    case "brave":
      return withKey("brave", url, "BRAVE_API_KEY", variables);
    case "tavily":
      return withKey("tavily", url, "TAVILY_API_KEY", variables);
    case "duckduckgo":
      if (url !== undefined && !isWebUrl(url)) return unusable("has no URL behind duckduckgo");
      return { engine: "duckduckgo", url };
    default:
      // A URL alone can only mean one of them.
      if (url === undefined && isWebUrl(engine)) return { engine: "searxng", url: engine };
      return unusable(`names "${engine.slice(0, 40)}", which is no engine`);
  }
}

function withKey(
  engine: "brave" | "tavily",
  url: string | undefined,
  variable: string,
  variables: NodeJS.ProcessEnv,
): SearchSettings | UnusableSetting {
  if (url !== undefined && !isWebUrl(url)) return unusable(`has no URL behind ${engine}`);
  const key = variables[variable]?.trim() ?? "";
  if (/^[\x21-\x7e]+$/.test(key)) return { engine, key, url };
  const state = key === "" ? "is not set" : "holds characters that no key has";
  return {
    problem: `TOOLCRIB_SEARCH names ${engine}, but ${variable} ${state}`,
    hint: `Set ${variable} to the key of your account.`,
  };
}

function isWebUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

function unusable(what: string): UnusableSetting {
  return {
    problem: `TOOLCRIB_SEARCH ${what}`,
    hint: "Set it to one of: searxng https://…, brave, tavily, duckduckgo.",
  };
}
