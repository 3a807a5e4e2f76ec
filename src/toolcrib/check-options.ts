import { ToolError } from "../contract/error.ts";
import type { SearchSettings, UnusableSetting } from "../contract/tool.ts";
import { isRecord } from "../lib/json/is-record.ts";
import { printableLine } from "../lib/text/printable.ts";
import { unknownName } from "../lib/unknown-name.ts";
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
  const unknown = unknownName(options, Object.keys(known), { owner: called, kind: "option" });
  if (unknown) throw unknown;
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
  hooks: true,
  tools: true,
  sources: true,
  onlyTools: true,
  readOnly: true,
  session: true,
  client: true,
  agents: true,
  extraRoots: true,
  hiddenPaths: true,
  stateDirectory: true,
  journal: true,
  configDirectory: true,
  target: true,
  backend: true,
  environment: true,
  wrapEnvironment: true,
  sandbox: true,
  expose: true,
  maxShownTokens: true,
  search: true,
  languageServers: true,
  embedder: true,
  undoScope: true,
  parkTransaction: true,
};

/** Refuses values of another type, which would be ignored or fail much later. Others check the rest of the options. */
export function checkValues(options: ToolcribOptions): void {
  for (const { names, isValid, must, example } of optionValues)
    for (const name of names) {
      const value: unknown = options[name];
      if (value === undefined || isValid(value)) continue;
      throw new ToolError("invalid-input", `The option ${name} must be ${must}, not ${shown(value)}`, {
        hint: `Write: ${name}: ${example}`,
      });
    }
}

interface OptionValues {
  readonly names: readonly (keyof ToolcribOptions)[];
  readonly isValid: (value: unknown) => boolean;
  readonly must: string;
  readonly example: string;
}

const optionValues: readonly OptionValues[] = [
  {
    names: ["pendingApprovals", "readOnly", "parkTransaction"],
    isValid: (value) => typeof value === "boolean",
    must: "true or false",
    example: "true",
  },
  {
    // A string would be split into its letters.
    names: ["rules", "ruleFiles", "onlyTools", "hiddenPaths"],
    isValid: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
    must: "a list of strings",
    example: '["…"]',
  },
  {
    names: ["expose"],
    isValid: (value) =>
      Array.isArray(value) && value.every((port) => isWhole(port) && port > 0 && port <= 65_535),
    must: "a list of ports",
    example: "[3000]",
  },
  {
    names: ["tools", "sources", "commandHooks"],
    isValid: Array.isArray,
    must: "a list",
    example: "[…]",
  },
  {
    names: ["workspace", "stateDirectory", "configDirectory"],
    isValid: (value) => typeof value === "string" && value !== "",
    must: "a path",
    example: '"/home/ada/project"',
  },
  {
    names: ["approve", "wrapEnvironment"],
    isValid: (value) => typeof value === "function",
    must: "a function",
    example: "(given) => …",
  },
  {
    names: ["maxShownTokens"],
    isValid: (value) => isWhole(value) && value > 0,
    must: "a whole number from 1",
    example: "10_000",
  },
  {
    names: ["approvalWaitMs"],
    // Timers cannot wait longer, and would end at once.
    isValid: (value) => isWhole(value) && value >= 0 && value < 2 ** 31,
    must: "a whole number of milliseconds, up to 24 days",
    example: "60_000",
  },
  {
    names: ["undoScope"],
    isValid: (value) => value === "session" || value === "workspace",
    must: '"session" or "workspace"',
    example: '"session"',
  },
  {
    names: ["languageServers"],
    isValid: (value) => isRecord(value) && Object.values(value).every(isLanguageServer),
    must: "servers by language, each with a command and extensions",
    example: '{ rust: { command: "rust-analyzer", extensions: [".rs"] } }',
  },
  {
    names: ["embedder"],
    isValid: (value) =>
      isRecord(value) && typeof value.model === "string" && typeof value.embed === "function",
    must: "an object with a model, an address and a function embed",
    example: '{ model: "mine/small", address: "http://localhost:8080", embed: async ({ texts }) => … }',
  },
  {
    names: ["hooks"],
    isValid: (value) =>
      isRecord(value) &&
      ["PreToolUse", "PostToolUse"].every((name) => ["function", "undefined"].includes(typeof value[name])),
    must: "an object with functions",
    example: "{ PreToolUse: (call) => … }",
  },
  {
    names: ["journal"],
    isValid: (value) =>
      isRecord(value) &&
      [value.maxBytes, value.maxDays].every(
        (limit) => limit === undefined || (typeof limit === "number" && limit > 0),
      ),
    must: "an object with limits over 0",
    example: "{ maxBytes: 2 ** 30, maxDays: 30 }",
  },
];

function isLanguageServer(value: unknown): boolean {
  return isRecord(value) && typeof value.command === "string" && Array.isArray(value.extensions);
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(printableLine(value.slice(0, 60)));
  return typeof value === "number"
    ? String(value)
    : value === null
      ? "null"
      : `a value of type ${typeof value}`;
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
