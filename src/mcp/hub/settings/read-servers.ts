import { dirname, join } from "node:path";
import { ToolError } from "../../../contract/error.ts";
import { openLocalEnvironment } from "../../../environment/local/local-environment.ts";
import { contentHash } from "../../../lib/bytes/content-hash.ts";
import { isRecord } from "../../../lib/json/is-record.ts";
import { realWorkspace, userDirectories } from "../../../system/directories.ts";
import { mayExist, policyFiles, readPolicyFile } from "../../../system/policy-files.ts";
import { type TrustState, trustIn } from "../../../toolcrib/trust.ts";
import { cleanLine } from "../clean-text.ts";
import { namedFiles } from "./named-files.ts";
import type { ServerConfiguration } from "./read-settings.ts";

/** Where a project names the servers that it needs, below the workspace. */
export const projectServersPath = ".toolcrib/mcp.json";

/** The servers that came with the folder, and whether the person trusts them. */
export interface ProjectServers {
  readonly servers: Readonly<Record<string, ServerConfiguration>>;
  /** SHA-256 of the file, and of those in the workspace that it names. */
  readonly hash: string;
  readonly trust: TrustState;
}

/** For `connectHub`. */
export interface ConfiguredServers {
  readonly servers: Readonly<Record<string, ServerConfiguration>>;
  readonly warnings: readonly string[];
}

export interface ServerPlaces {
  readonly workspace: string;
  /** Where the person's own file is; below the XDG config directory if not said. */
  readonly configDirectory?: string;
}

/**
 * The servers of the person's own `mcp.json`, and those of the project's, if the person trusts them. A file that cannot be
 * read costs its own servers only.
 */
export async function readServers(places: ServerPlaces): Promise<ConfiguredServers> {
  const { workspace, files } = filesOf(places);
  const warnings: string[] = [];
  const own = tolerantly(() => {
    const text = readPolicyFile(files.servers);
    return text === undefined ? {} : startedBeside(files.servers, parseServers(text, files.servers));
  }, warnings);
  const project = await readProjectServers(places).catch((error: Error) => {
    warnings.push(`${error.message}.`);
    return undefined;
  });
  if (project === undefined || Object.keys(project.servers).length === 0)
    return { servers: own ?? {}, warnings };
  if (project.trust !== "trusted") {
    const names = Object.keys(project.servers).map((name) => cleanLine(name, 40));
    warnings.push(`${untrusted[project.trust]}: ${names.join(", ")}. Trust them: toolcrib mcp trust`);
    return { servers: own ?? {}, warnings };
  }
  for (const name of Object.keys(project.servers))
    if (Object.hasOwn(own ?? {}, name))
      warnings.push(`${projectServersPath} in ${workspace} names the MCP server ${name}; your own counts.`);
  return { servers: { ...believingNothing(project.servers), ...own }, warnings };
}

/** Undefined where the folder has none. Throws where its file cannot be read or understood. */
export async function readProjectServers(places: ServerPlaces): Promise<ProjectServers | undefined> {
  const { workspace, files } = filesOf(places);
  if (!mayExist(join(workspace, projectServersPath))) return undefined;
  const environment = openLocalEnvironment({ workspace });
  try {
    const { bytes } = await environment.readFile(projectServersPath, { maxBytes: 1024 * 1024 });
    const named = parseServers(new TextDecoder().decode(bytes), projectServersPath);
    const servers = await Promise.all(
      Object.entries(named).map(async ([name, server]) => {
        const files = await namedFiles(server, { environment, workspace });
        return [name, isRecord(server) ? withFiles(server, files) : server] as const;
      }),
    );
    const programs = servers.flatMap(([, { files = {} }]) => Object.entries(files));
    const hash = contentHash(
      programs.length === 0 ? bytes : JSON.stringify([contentHash(bytes), ...programs]),
    );
    const trust = trustIn({ workspace, hash }, files.serversTrust);
    return { servers: Object.fromEntries(servers), hash, trust };
  } finally {
    await environment.close();
  }
}

const untrusted = {
  untrusted: `${projectServersPath} names MCP servers that you have not trusted, and that are not started`,
  changed: `${projectServersPath} or a program that it names has changed since you trusted it, and its MCP servers are not started`,
};

function filesOf({ workspace: folder, configDirectory = userDirectories().config }: ServerPlaces) {
  const workspace = realWorkspace(folder);
  return { workspace, files: policyFiles(configDirectory, workspace) };
}

function parseServers(text: string, file: string): Readonly<Record<string, ServerConfiguration>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    // Whatever else it says shows what stands there, which may be a secret.
    const [, place] = /\(?(line \d+,? column \d+)\)?/.exec((cause as Error).message) ?? [];
    throw new ToolError("invalid-input", `${file} is no JSON${place === undefined ? "" : `: see ${place}`}`);
  }
  const servers = isRecord(value) ? value.mcpServers : undefined;
  if (isRecord(servers)) return servers as Readonly<Record<string, ServerConfiguration>>;
  throw new ToolError("invalid-input", `${file} has no \`mcpServers\` with a server for each name`);
}

/** Whatever the project says of its files itself. */
function withFiles(
  { files: _, ...server }: ServerConfiguration,
  files: Readonly<Record<string, string>>,
): ServerConfiguration {
  return Object.keys(files).length === 0 ? server : { ...server, files };
}

/**
 * Programs look for more programs where they start: a folder that nobody trusts must not be the place where the person's
 * own servers start.
 */
function startedBeside(
  file: string,
  servers: Readonly<Record<string, ServerConfiguration>>,
): Record<string, ServerConfiguration> {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [
      name,
      isRecord(server) && server.command !== undefined ? { cwd: dirname(file), ...server } : server,
    ]),
  );
}

/** What a server says of itself only the person can believe. */
function believingNothing(
  servers: Readonly<Record<string, ServerConfiguration>>,
): Record<string, ServerConfiguration> {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [
      name,
      isRecord(server) ? { ...server, trustAnnotations: false } : server,
    ]),
  );
}

function tolerantly<Value>(read: () => Value, warnings: string[]): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    warnings.push(`${error.message}.`);
    return undefined;
  }
}
