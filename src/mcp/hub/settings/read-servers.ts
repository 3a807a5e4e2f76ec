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

/** The project's file of servers, in the workspace. */
export const projectServersPath = ".toolcrib/mcp.json";

type Servers = Readonly<Record<string, ServerConfiguration>>;

/** The project's servers, and whether the user trusts them. */
export interface ProjectServers {
  readonly servers: Servers;
  /** SHA-256 of the file and of the workspace files it names. */
  readonly hash: string;
  readonly trust: TrustState;
}

/** The servers and warnings for `connectHub`. */
export interface ConfiguredServers {
  readonly servers: Servers;
  readonly warnings: readonly string[];
}

export interface ServerFolders {
  readonly workspace: string;
  /** Whether the project's servers are read. Default: true. */
  readonly ofProject?: boolean | undefined;
  /** The folder of the user's own file. Default: the XDG config directory. */
  readonly configDirectory?: string | undefined;
}

/**
 * Reads the servers of the user's `mcp.json`, and of the project's, if trusted. One unreadable file does not affect the
 * other.
 */
export async function readServers(folders: ServerFolders): Promise<ConfiguredServers> {
  const { workspace, files } = filesOf(folders);
  const warnings: string[] = [];
  let own: Servers = {};
  try {
    own = { ...(await configuredServers(folders)), ...readOwnServers(files.servers) };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    warnings.push(`${error.message}.`);
  }
  if (folders.ofProject === false) return { servers: own, warnings };
  const project = await readProjectServers(folders).catch((error: Error) => {
    warnings.push(`${error.message}.`);
    return undefined;
  });
  if (project === undefined || Object.keys(project.servers).length === 0) return { servers: own, warnings };
  if (project.trust !== "trusted") {
    const names = Object.keys(project.servers).map((name) => cleanLine(name, 40));
    warnings.push(`${untrusted[project.trust]}: ${names.join(", ")}. To trust them: toolcrib mcp trust`);
    return { servers: own, warnings };
  }
  for (const name of Object.keys(project.servers))
    if (Object.hasOwn(own, name))
      warnings.push(
        `${projectServersPath} in ${workspace} defines the MCP server ${name}, but the one in your own mcp.json is used.`,
      );
  // Only the user's own file may trust a server's annotations.
  const distrusted = mapServers(project.servers, (server) => ({ ...server, trustAnnotations: false }));
  return { servers: { ...distrusted, ...own }, warnings };
}

/** Reads the user's own servers. */
function readOwnServers(file: string): Servers {
  const text = readPolicyFile(file);
  return text === undefined ? {} : startedIn(dirname(file), parseServers(text, file));
}

/** Reads `mcp_servers` of the user's `config.toml`. Mistakes in that file are reported with its other settings. */
async function configuredServers({
  workspace,
  ofProject = true,
  configDirectory = userDirectories().config,
}: ServerFolders): Promise<Servers> {
  if (!mayExist(join(configDirectory, "config.toml"))) return {};
  const { readConfig } = await import("../../../config/read-config.ts");
  const { servers } = await readConfig({ workspace: ofProject ? workspace : undefined, configDirectory });
  return startedIn(configDirectory, servers as Servers);
}

/** The user's servers start in the folder of their file, because many programs load code from there. */
function startedIn(folder: string, servers: Servers): Servers {
  return mapServers(servers, (server) =>
    server.command === undefined ? server : { cwd: folder, ...server },
  );
}

/** Changes each server. An invalid configuration stays unchanged, and is reported when the server would start. */
function mapServers(servers: Servers, change: (server: ServerConfiguration) => ServerConfiguration): Servers {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, isRecord(server) ? change(server) : server]),
  );
}

/** Reads the project's servers; undefined when it has none. Throws when its file cannot be read or parsed. */
export async function readProjectServers(folders: ServerFolders): Promise<ProjectServers | undefined> {
  const { workspace, files } = filesOf(folders);
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
  untrusted: `The MCP servers in ${projectServersPath} are not trusted and not started`,
  changed: `${projectServersPath}, or a program that it names, has changed since you trusted it; its MCP servers are not started`,
};

function filesOf({ workspace: folder, configDirectory = userDirectories().config }: ServerFolders) {
  const workspace = realWorkspace(folder);
  return { workspace, files: policyFiles(configDirectory, workspace) };
}

function parseServers(text: string, file: string): Servers {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    // The rest of the message quotes the file, which may contain a secret.
    const [, line] = /\(?(line \d+,? column \d+)\)?/.exec((cause as Error).message) ?? [];
    throw new ToolError(
      "invalid-input",
      `${file} is not valid JSON${line === undefined ? "" : ` at ${line}`}`,
    );
  }
  const servers = isRecord(value) ? value.mcpServers : undefined;
  if (isRecord(servers)) return servers as Servers;
  throw new ToolError(
    "invalid-input",
    `\`mcpServers\` in ${file} is missing, or not an object of servers by name`,
  );
}

/** Replaces hashes that the project itself lists. */
function withFiles(
  { files: _, ...server }: ServerConfiguration,
  files: Readonly<Record<string, string>>,
): ServerConfiguration {
  return Object.keys(files).length === 0 ? server : { ...server, files };
}
