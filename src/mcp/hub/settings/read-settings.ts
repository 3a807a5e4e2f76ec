import { isAbsolute, resolve } from "node:path";
import * as z from "zod/mini";
import { serverFields } from "../../../config/servers.ts";
import { wildcardRegex } from "../../../lib/text/escape-regex.ts";
import {
  type OAuthSettings,
  type ProgramLoginSettings,
  readOAuth,
  type UserLoginSettings,
  unusable,
} from "./read-oauth.ts";

/** One server, ready to be connected. */
export interface ServerSettings {
  readonly name: string;
  readonly transport: StdioServer | HttpServer;
  readonly timeoutMs: number;
  readonly startTimeoutMs: number;
  readonly tools: readonly string[] | undefined;
  readonly protocol: "2025" | "2026" | "auto";
  readonly trustsAnnotations: boolean;
  readonly sendsRoots: boolean;
  /** SHA-256 hashes by path. The server starts only while these files have this content. */
  readonly files: Readonly<Record<string, string>>;
  /** The values of its variables and headers, which are never shown. */
  readonly secrets: readonly string[];
}

export interface StdioServer {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** An absolute path. */
  readonly cwd: string;
}

export interface HttpServer {
  readonly kind: "http";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** How the user or Toolcrib itself logs in; undefined when `headers` authorizes the requests. */
  readonly oauth: UserLoginSettings | ProgramLoginSettings | undefined;
}

/** Reads a configuration. Throws `invalid-input` with a reason to put after the server's name. */
export function readSettings(
  name: string,
  given: unknown,
  context: { readonly workspace: string; readonly variables: NodeJS.ProcessEnv },
): ServerSettings | "disabled" {
  const { workspace } = context;
  const variables: NodeJS.ProcessEnv = { ...context.variables, TOOLCRIB_WORKSPACE: workspace };
  const parsed = configuration.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw unusable(`its \`${issue?.path.join(".") || "configuration"}\` is not valid`);
  }
  const server = parsed.data;
  if (server.disabled === true) return "disabled";
  const secrets: string[] = [];
  const expand = (text: string) =>
    text.replace(variablePattern, (_, variable: string, otherwise?: string) => {
      const value = variables[variable] || undefined;
      if (value !== undefined && value !== workspace) secrets.push(value);
      const expanded = value ?? otherwise;
      if (expanded === undefined) throw unusable(`the environment variable ${variable} is not set`);
      return expanded;
    });
  const expandAll = (texts: Readonly<Record<string, string>> = {}) => {
    const all = Object.entries(texts).map(([key, text]) => [key, expand(text)] as const);
    secrets.push(...all.map(([, value]) => value).filter((value) => value !== workspace));
    return Object.fromEntries(all);
  };
  const isStdio = server.command !== undefined;
  const url = isStdio ? undefined : readUrl(server, expand);
  secrets.push(...(url?.searchParams.values() ?? []));
  const cwd = isStdio ? resolve(workspace, expand(server.cwd ?? ".")) : workspace;
  return {
    name,
    transport:
      url === undefined
        ? {
            kind: "stdio",
            command: program(expand(server.command!), cwd),
            args: (server.args ?? []).map(expand),
            env: expandAll(server.env),
            cwd,
          }
        : {
            kind: "http",
            url,
            headers: expandAll(server.headers),
            oauth: readOAuth(server.oauth, server.headers, expand, secrets),
          },
    timeoutMs: server.timeoutMs ?? 60_000,
    startTimeoutMs: server.startTimeoutMs ?? 30_000,
    tools: server.tools,
    protocol: server.protocol ?? (isStdio ? "2025" : "auto"),
    trustsAnnotations: server.trustAnnotations ?? false,
    sendsRoots: server.roots ?? true,
    files: server.files ?? {},
    secrets: textsToHide(secrets),
  };
}

/** Returns the secrets and each of their lines, the longest first, because one may be the beginning of another. */
function textsToHide(secrets: readonly string[]): readonly string[] {
  const lines = secrets.flatMap((value) => [value, ...value.split(/[\r\n]+/).map((line) => line.trim())]);
  return (
    [...new Set(lines)]
      // Shorter values are ordinary words and would be redacted everywhere.
      .filter((value) => value.length >= 6)
      .toSorted((one, other) => other.length - one.length)
  );
}

/** Other programs add fields of their own, which are ignored. */
const configuration = z.looseObject(serverFields);

/** A relative path starts at the server's folder; a name is found on PATH. */
function program(command: string, cwd: string): string {
  return command.includes("/") && !isAbsolute(command) ? resolve(cwd, command) : command;
}

function readUrl(
  server: { readonly url?: string | undefined; readonly type?: string | undefined },
  expand: (text: string) => string,
): URL {
  if (server.url === undefined) throw unusable("it has neither `command` nor `url`");
  if (server.type === "sse") throw unusable("the transport `sse` is not supported: use `http`");
  const text = expand(server.url);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw unusable("its `url` is not an http address");
  if (url.username !== "" || url.password !== "")
    throw unusable("its `url` contains a name or password: put them in `headers`");
  return url;
}

/** Matches "${NAME}" and "${NAME:-else}". */
const variablePattern = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** Returns a check whether a name matches one of `names`, in which "*" matches any part. */
export function namePattern(names: readonly string[]): (name: string) => boolean {
  const patterns = names.map((name) => wildcardRegex(name));
  return (name) => patterns.some((pattern) => pattern.test(name));
}

/** One server in `mcp.json`; "${NAME}" and "${NAME:-else}" are replaced by environment variables. */
export interface ServerConfiguration {
  /** The program of a local server, which uses standard input and output. */
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  /** Environment variables in addition to the few that every program gets. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Relative to the workspace. Default: the workspace; in the user's own file, that file's folder. */
  readonly cwd?: string | undefined;
  /** SHA-256 hashes of workspace files by path. The server starts only while they have this content. */
  readonly files?: Readonly<Record<string, string>> | undefined;
  readonly type?: "stdio" | "http" | "streamable-http" | undefined;
  /** The address of a remote server. */
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A client that is registered for the user, or with which Toolcrib logs in itself. */
  readonly oauth?: OAuthSettings | undefined;
  /** How long one call may take. Default: 60 s. */
  readonly timeoutMs?: number | undefined;
  /** How long the server may take to list its tools. Default: 30 s. */
  readonly startTimeoutMs?: number | undefined;
  /** The tools to offer, by name or pattern (`get_*`). Default: all. */
  readonly tools?: readonly string[] | undefined;
  readonly disabled?: boolean | undefined;
  /** The era of the protocol. Default: 2025 on stdio, auto over HTTP. */
  readonly protocol?: "2025" | "2026" | "auto" | undefined;
  /** Whether the server's statement that a tool only reads is trusted. Counts only in the user's own file. */
  readonly trustAnnotations?: boolean | undefined;
  /** Whether the server gets the workspace when it asks for its roots. Default: true. */
  readonly roots?: boolean | undefined;
}
