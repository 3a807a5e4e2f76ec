import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { serverFields } from "../../../config/servers.ts";
import { ToolError } from "../../../contract/error.ts";
import { openLocalEnvironment } from "../../../environment/local/local-environment.ts";
import { contentHash } from "../../../lib/bytes/content-hash.ts";
import { type FileProblem, problemsOf } from "../../../lib/json/file-problems.ts";
import { isRecord } from "../../../lib/json/is-record.ts";
import { lineInJson, parseJsonFile } from "../../../lib/json/parse-json-file.ts";
import { nearest } from "../../../lib/text/nearest.ts";
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
 * Reads the servers of the user's `mcp.json`, and of the project's, if trusted. Throws for a file that cannot be read, and
 * for a mistake in a field that restricts a server.
 */
export async function readServers(folders: ServerFolders): Promise<ConfiguredServers> {
  const { workspace, files } = filesOf(folders);
  const warnings: string[] = [];
  const own: Servers = { ...(await configuredServers(folders)), ...readOwnServers(files.servers) };
  if (folders.ofProject === false) return { servers: own, warnings };
  const project = await readProjectServers(folders);
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

/** Reads `mcp_servers` of the user's `config.toml`. Throws for mistakes in that file. */
async function configuredServers({
  workspace,
  ofProject = true,
  configDirectory = userDirectories().config,
}: ServerFolders): Promise<Servers> {
  if (!mayExist(join(configDirectory, "config.toml"))) return {};
  const { readConfig, refuseMistakes } = await import("../../../config/read-config.ts");
  const config = await readConfig({ workspace: ofProject ? workspace : undefined, configDirectory });
  refuseMistakes(config);
  return startedIn(configDirectory, config.servers as Servers);
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
  const content = parseJsonFile(text, file, "Fix it, or move the file away.");
  const [problem] = [...problemsOf(restrictions, content), ...almostRestrictions(content)];
  if (problem === undefined) return (content as { readonly mcpServers: Servers }).mcpServers;
  throw new ToolError("invalid-input", `${file}:${lineInJson(text, problem.path)}: ${problem.message}`, {
    hint: "Fix it, or move the file away.",
  });
}

/** The fields that restrict a server. A mistake in another one keeps only that server from starting. */
const { disabled, files, roots, tools, trustAnnotations } = serverFields;
const restricting = { disabled, files, roots, tools, trustAnnotations };
const restrictions = z.looseObject({
  mcpServers: z.record(z.string(), z.looseObject(restricting)),
});

/** Finds unknown fields that probably mean one that restricts a server. Other unknown fields belong to other programs. */
function almostRestrictions(content: unknown): readonly FileProblem[] {
  const servers = isRecord(content) && isRecord(content.mcpServers) ? content.mcpServers : {};
  return Object.entries(servers).flatMap(([name, server]) =>
    Object.entries(isRecord(server) ? server : {}).flatMap(([field, value]): FileProblem[] => {
      // `enabled: true` of another program restricts nothing.
      if (Object.hasOwn(serverFields, field) || (field === "enabled" && value === true)) return [];
      const near = field === "enabled" ? "disabled" : nearest(field, Object.keys(serverFields));
      if (near === undefined || !Object.hasOwn(restricting, near)) return [];
      const message = `unknown field ${cleanLine(name, 40)}.${cleanLine(field, 40)}; did you mean ${near}?`;
      return [{ path: ["mcpServers", name, field], message, near }];
    }),
  );
}

/** Replaces hashes that the project itself lists. */
function withFiles(
  { files: _, ...server }: ServerConfiguration,
  files: Readonly<Record<string, string>>,
): ServerConfiguration {
  return Object.keys(files).length === 0 ? server : { ...server, files };
}
