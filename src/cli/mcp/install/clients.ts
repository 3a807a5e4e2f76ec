import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** An MCP client, and how its configuration names a server. */
export interface Client {
  /** As people know it. */
  readonly title: string;
  /** Where its configuration is: the person's own, or the project's. */
  file(scope: Scope, place: ConfigurationPlace): string;
  readonly format: "json" | "toml";
  /** The key below which servers stand. */
  readonly servers: string;
  /** What stands there for a server that is started by a command. */
  entry(command: readonly [string, ...string[]]): Readonly<Record<string, unknown>>;
  /** How its configuration spells the folder that is open, where servers are not started there. */
  readonly openFolder?: string;
}

export const scopes = ["user", "project"] as const;
export type Scope = (typeof scopes)[number];

interface ConfigurationPlace {
  /** The project's folder. */
  readonly workspace: string;
  readonly variables: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: theirs, not ours
const openFolder = "${workspaceFolder}";

export const clientNames = ["claude", "codex", "cursor", "vscode", "zed", "gemini", "opencode"] as const;
export type ClientName = (typeof clientNames)[number];

export const clients: Readonly<Record<ClientName, Client>> = {
  claude: {
    title: "Claude Code",
    file: (scope, { workspace, variables }) =>
      scope === "project"
        ? join(workspace, ".mcp.json")
        : join(variables.CLAUDE_CONFIG_DIR || home(variables), ".claude.json"),
    format: "json",
    servers: "mcpServers",
    entry: ([command, ...args]) => ({ type: "stdio", command, args, env: {} }),
  },
  codex: {
    title: "Codex",
    file: (scope, { workspace, variables }) =>
      scope === "project"
        ? join(workspace, ".codex/config.toml")
        : join(variables.CODEX_HOME || join(home(variables), ".codex"), "config.toml"),
    format: "toml",
    servers: "mcp_servers",
    entry: ([command, ...args]) => ({ command, args }),
  },
  cursor: {
    title: "Cursor",
    file: (scope, place) => join(rootOf(scope, place), ".cursor/mcp.json"),
    format: "json",
    servers: "mcpServers",
    entry: ([command, ...args]) => ({ command, args }),
    openFolder,
  },
  vscode: {
    title: "VS Code",
    file: (scope, place) =>
      scope === "project"
        ? join(place.workspace, ".vscode/mcp.json")
        : join(codeFolder(place), "User/mcp.json"),
    format: "json",
    servers: "servers",
    entry: ([command, ...args]) => ({ type: "stdio", command, args }),
    openFolder,
  },
  zed: {
    title: "Zed",
    file: (scope, { workspace, variables }) =>
      scope === "project"
        ? join(workspace, ".zed/settings.json")
        : join(configFolder(variables), "zed/settings.json"),
    format: "json",
    servers: "context_servers",
    entry: ([command, ...args]) => ({ source: "custom", command, args, env: {} }),
  },
  gemini: {
    title: "Gemini CLI",
    file: (scope, place) => join(rootOf(scope, place), ".gemini/settings.json"),
    format: "json",
    servers: "mcpServers",
    entry: ([command, ...args]) => ({ command, args }),
  },
  opencode: {
    title: "opencode",
    file: (scope, { workspace, variables }) => {
      const folder = scope === "project" ? workspace : join(configFolder(variables), "opencode");
      const withComments = join(folder, "opencode.jsonc");
      return existsSync(withComments) ? withComments : join(folder, "opencode.json");
    },
    format: "json",
    servers: "mcp",
    entry: (command) => ({ type: "local", command, enabled: true }),
  },
};

function rootOf(scope: Scope, { workspace, variables }: ConfigurationPlace): string {
  return scope === "project" ? workspace : home(variables);
}

function home(variables: NodeJS.ProcessEnv): string {
  return variables.HOME || homedir();
}

function configFolder(variables: NodeJS.ProcessEnv): string {
  return variables.XDG_CONFIG_HOME || join(home(variables), ".config");
}

function codeFolder({ variables, platform }: ConfigurationPlace): string {
  if (platform === "darwin") return join(home(variables), "Library/Application Support/Code");
  if (platform === "win32") return join(variables.APPDATA ?? home(variables), "Code");
  return join(configFolder(variables), "Code");
}
