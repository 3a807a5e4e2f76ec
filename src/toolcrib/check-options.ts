import { ToolError } from "../contract/error.ts";
import type { SearchSettings, UnusableSetting } from "../contract/tool.ts";
import { nearest } from "../lib/text/nearest.ts";
import { printableLine } from "../lib/text/printable.ts";
import { type PolicyMode, policyModes } from "../policy/policy.ts";
import { type SandboxSetting, sandboxSettings, type ToolcribOptions } from "./options.ts";

/**
 * Refuses options that a function does not have, which would have no effect. `known` has all names; TypeScript checks that
 * it is complete.
 */
export function checkNames(options: object, known: Readonly<Record<string, true>>, called: string): void {
  if (typeof options !== "object" || options === null)
    throw new ToolError("invalid-input", `${called} takes an object with options`, {
      hint: `Write: ${called}({ workspace: "." })`,
    });
  const names = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const unknown = names.find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const near = nearest(unknown, Object.keys(known));
  throw new ToolError("invalid-input", `${called} has no option ${JSON.stringify(printableLine(unknown))}`, {
    hint: near ? `Did you mean ${near}?` : `Options: ${Object.keys(known).toSorted().join(", ")}`,
  });
}

/** The names of all options of `openToolcrib`. */
export const optionNames: Readonly<Record<keyof ToolcribOptions, true>> = {
  workspace: true,
  dialect: true,
  mode: true,
  approve: true,
  pendingApprovals: true,
  approvalWaitMs: true,
  rules: true,
  ruleFiles: true,
  commandHooks: true,
  tools: true,
  sources: true,
  onlyTools: true,
  readOnly: true,
  session: true,
  client: true,
  agents: true,
  extraRoots: true,
  stateDirectory: true,
  journal: true,
  configDirectory: true,
  backend: true,
  environment: true,
  wrapEnvironment: true,
  sandbox: true,
  maxShownTokens: true,
  search: true,
  undoScope: true,
  parkTransaction: true,
};

/** Refuses a single value in place of a list, because a string would be split into its letters. */
export function checkLists(options: ToolcribOptions): void {
  for (const name of ["rules", "ruleFiles", "tools", "onlyTools", "sources", "commandHooks"] as const) {
    if (options[name] === undefined || Array.isArray(options[name])) continue;
    throw new ToolError("invalid-input", `The option ${name} must be a list`, {
      hint: `Write ${name}: […], also for a single value.`,
    });
  }
}

export function checkSession(session: string | undefined): string | undefined {
  if (session === undefined || /^[\w.:-]{1,128}$/.test(session)) return session;
  throw new ToolError("invalid-input", `"${printableLine(String(session))}" is not a session id`, {
    hint: "To list sessions, run: toolcrib sessions list",
  });
}

/** Checks a mode, which may be written in any case: "Safe", "YOLO". */
export function checkMode(mode: PolicyMode): PolicyMode {
  const known = policyModes.find((each) => each === String(mode).toLowerCase());
  if (known !== undefined) return known;
  throw new ToolError("invalid-input", `Unknown mode: ${mode}`, {
    hint: `Use one of: ${policyModes.join(", ")}.`,
  });
}

/** Returns the given sandbox level, else TOOLCRIB_SANDBOX, else "auto". */
export function sandboxWanted(given: string | undefined): SandboxSetting {
  const wanted = given ?? (process.env.TOOLCRIB_SANDBOX || "auto");
  const known = sandboxSettings.find((name) => name === wanted);
  if (known !== undefined) return known;
  throw new ToolError("invalid-input", `Unknown sandbox: ${wanted}`, {
    hint: `${given === undefined ? "Set TOOLCRIB_SANDBOX to" : "Use"} one of: ${sandboxSettings.join(", ")}.`,
  });
}

/**
 * Returns the engine of web.search from the variables TOOLCRIB_SEARCH, BRAVE_API_KEY and TAVILY_API_KEY; undefined
 * without one. Mistakes in them are reported by the first search, because most sessions never search.
 */
export function searchSettings(variables: NodeJS.ProcessEnv): SearchSettings | UnusableSetting | undefined {
  const words = (variables.TOOLCRIB_SEARCH ?? "").trim().split(/\s+/);
  const [engine = "", url, ...more] = words;
  if (engine === "") return undefined;
  if (more.length > 0) return unusable("has more than an engine and a URL");
  switch (engine.toLowerCase()) {
    case "searxng":
      if (url === undefined) return unusable("names searxng without its URL");
      return isWebUrl(url) ? { engine: "searxng", url } : unusable("has no valid URL after searxng");
    case "brave":
      return withKey("brave", url, "BRAVE_API_KEY", variables);
    case "tavily":
      return withKey("tavily", url, "TAVILY_API_KEY", variables);
    case "duckduckgo":
      if (url !== undefined && !isWebUrl(url)) return unusable("has no valid URL after duckduckgo");
      return { engine: "duckduckgo", url };
    default:
      // A URL alone means searxng, the only engine without a fixed address.
      if (url === undefined && isWebUrl(engine)) return { engine: "searxng", url: engine };
      return unusable(`names the unknown engine "${engine.slice(0, 40)}"`);
  }
}

function withKey(
  engine: "brave" | "tavily",
  url: string | undefined,
  variable: string,
  variables: NodeJS.ProcessEnv,
): SearchSettings | UnusableSetting {
  if (url !== undefined && !isWebUrl(url)) return unusable(`has no valid URL after ${engine}`);
  const key = variables[variable]?.trim() ?? "";
  if (/^[\x21-\x7e]+$/.test(key)) return { engine, key, url };
  const state = key === "" ? "is not set" : "contains invalid characters";
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
