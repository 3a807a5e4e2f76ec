import { isAbsolute, resolve } from "node:path";
import * as z from "zod/mini";
import { ToolError } from "../../../contract/error.ts";
import { wildcardRegex } from "../../../lib/text/escape-regex.ts";

/** One server, ready to be connected. */
export interface ServerSettings {
  readonly name: string;
  readonly reach: StdioReach | HttpReach;
  readonly timeoutMs: number;
  readonly startTimeoutMs: number;
  readonly tools: readonly string[] | undefined;
  readonly protocol: "2025" | "2026" | "auto";
  readonly trustsAnnotations: boolean;
  readonly tellsRoots: boolean;
  /** Not started unless these have this content: SHA-256 by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Never to be shown: what its variables and headers hold. */
  readonly secrets: readonly string[];
}

export interface StdioReach {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
}

interface HttpReach {
  readonly kind: "http";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** Throws `invalid-input` where a configuration cannot be used; the message says why, in words after the server's name. */
export function readSettings(
  name: string,
  given: unknown,
  place: { readonly workspace: string; readonly variables: NodeJS.ProcessEnv },
): ServerSettings | "disabled" {
  const { workspace } = place;
  const variables = { ...place.variables, TOOLCRIB_WORKSPACE: workspace };
  const parsed = configuration.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw unusable(`its \`${issue?.path.join(".") || "configuration"}\` is not valid`);
  }
  const server = parsed.data;
  if (server.disabled === true) return "disabled";
  const secrets: string[] = [];
  const expand = (text: string) =>
    expandVariables(text, variables, (value) => value !== workspace && secrets.push(value));
  const expandAll = (texts: Readonly<Record<string, string>> = {}) => {
    const all = Object.entries(texts).map(([key, text]) => [key, expand(text)] as const);
    secrets.push(...all.map(([, value]) => value).filter((value) => value !== workspace));
    return Object.fromEntries(all);
  };
  const isStdio = server.command !== undefined;
  const url = isStdio ? undefined : readUrl(server, expand);
  secrets.push(...(url?.searchParams.values() ?? []));
  return {
    name,
    reach:
      url === undefined
        ? {
            kind: "stdio",
            command: program(expand(server.command!), resolve(workspace, expand(server.cwd ?? "."))),
            args: (server.args ?? []).map(expand),
            env: expandAll(server.env),
            cwd: resolve(workspace, expand(server.cwd ?? ".")),
          }
        : { kind: "http", url, headers: expandAll(server.headers) },
    timeoutMs: server.timeoutMs ?? 60_000,
    startTimeoutMs: server.startTimeoutMs ?? 30_000,
    tools: server.tools,
    protocol: server.protocol ?? (isStdio ? "2025" : "auto"),
    trustsAnnotations: server.trustAnnotations ?? false,
    tellsRoots: server.roots ?? true,
    files: server.files ?? {},
    secrets: shownAs(secrets),
  };
}

/** As they may come to be shown: line by line, and the longest first, because one may be the beginning of another. */
function shownAs(secrets: readonly string[]): readonly string[] {
  const lines = secrets.flatMap((value) => [value, ...value.split(/[\r\n]+/).map((line) => line.trim())]);
  return (
    [...new Set(lines)]
      // Short ones are words, not secrets, and would make holes in what is shown.
      .filter((value) => value.length >= 6)
      .toSorted((one, other) => other.length - one.length)
  );
}

const milliseconds = z.optional(z.int().check(z.minimum(1), z.maximum(3_600_000)));
const texts = z.optional(z.record(z.string(), z.string()));

/** Other programs write more than this into their files. */
const configuration = z.looseObject({
  command: z.optional(z.string().check(z.minLength(1))),
  args: z.optional(z.array(z.string())),
  env: texts,
  cwd: z.optional(z.string()),
  files: texts,
  type: z.optional(z.string()),
  url: z.optional(z.string()),
  headers: texts,
  timeoutMs: milliseconds,
  startTimeoutMs: milliseconds,
  tools: z.optional(z.array(z.string())),
  disabled: z.optional(z.boolean()),
  protocol: z.optional(z.enum(["2025", "2026", "auto"])),
  trustAnnotations: z.optional(z.boolean()),
  roots: z.optional(z.boolean()),
});

/** A path is seen from where the server starts, a name is looked for where programs are. */
function program(command: string, cwd: string): string {
  return command.includes("/") && !isAbsolute(command) ? resolve(cwd, command) : command;
}

function readUrl(
  server: { readonly url?: string | undefined; readonly type?: string | undefined },
  expand: (text: string) => string,
): URL {
  if (server.url === undefined) throw unusable("it has neither `command` nor `url`");
  if (server.type === "sse") throw unusable("the transport `sse` is no longer spoken: use `http`");
  const text = expand(server.url);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") throw unusable("its `url` is no http address");
  if (url.username !== "" || url.password !== "")
    throw unusable("its `url` has a name or password in it: say them in `headers`");
  return url;
}

function unusable(why: string): ToolError {
  return new ToolError("invalid-input", why);
}

/** Puts in the values that "${NAME}" and "${NAME:-else}" stand for, and tells each value of a variable. */
function expandVariables(text: string, variables: NodeJS.ProcessEnv, tell: (value: string) => void): string {
  return text.replace(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (_, name: string, otherwise?: string) => {
      const value = variables[name];
      if (value !== undefined && value !== "") {
        tell(value);
        return value;
      }
      if (otherwise !== undefined) return otherwise;
      throw new ToolError("invalid-input", `the environment variable ${name} is not set`);
    },
  );
}

/** Whether a name is one of these, where "*" stands for any part. */
export function namePattern(names: readonly string[]): (name: string) => boolean {
  const patterns = names.map((name) => wildcardRegex(name));
  return (name) => patterns.some((pattern) => pattern.test(name));
}

/** One server as people write it in `mcp.json`; "${NAME}" and "${NAME:-else}" stand for environment variables. */
export interface ServerConfiguration {
  /** The program of a server that is started here, and talked to by its input and output. */
  readonly command?: string;
  readonly args?: readonly string[];
  /** Beside the few variables that every program gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Relative to the workspace; that itself if not said. For servers of the person's own file the file's directory. */
  readonly cwd?: string;
  /** Not started unless these files in the workspace have this content: SHA-256 by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly type?: "stdio" | "http" | "streamable-http";
  /** Of a server that runs elsewhere. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long one call may take; a minute if not said. */
  readonly timeoutMs?: number;
  /** How long it may take to tell its tools; half a minute if not said. */
  readonly startTimeoutMs?: number;
  /** Only these of its tools, by name or pattern (`get_*`). */
  readonly tools?: readonly string[];
  readonly disabled?: boolean;
  /** Which era of the protocol: the one before 2026 on stdio, whichever it knows by HTTP, if not said. */
  readonly protocol?: "2025" | "2026" | "auto";
  /** Believe it when it says that a tool only reads. Counts in the person's own file only. */
  readonly trustAnnotations?: boolean;
  /** Tell it the workspace when it asks for its roots; yes if not said. */
  readonly roots?: boolean;
}
