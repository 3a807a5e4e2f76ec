import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** An MCP client, and how its configuration names a server. */
export interface Client {
  readonly title: string;
  /** Returns the path of the client's configuration: the user's, or the project's if the client reads one. */
  file(scope: Scope, folders: ConfigurationFolders): string | undefined;
  /** The key that contains the servers. */
  readonly servers: string;
  /** Returns the entry of a server that a command starts. */
  entry(command: readonly [string, ...string[]]): ClientEntry;
  /** The entry of a server at a URL. Missing in clients that cannot read its token from `tokenVariable`. */
  httpEntry?(url: string): ClientEntry;
  /** The variable for the open folder, in clients that start servers in another folder. */
  readonly openFolder?: string;
  /** The fields or the setting with which only Toolcrib asks for approval. Missing if the client does not ask. */
  readonly askOnce?: { readonly entry: ClientEntry } | { setting(server: string): string };
}

export type ClientEntry = Readonly<Record<string, unknown>>;

/** The environment variable with the token of a server over HTTP, for the server and for its clients. */
export const tokenVariable = "TOOLCRIB_TOKEN";

export const scopes = ["user", "project"] as const;
export type Scope = (typeof scopes)[number];

interface ConfigurationFolders {
  /** The project's folder. */
  readonly workspace: string;
  readonly variables: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: the clients replace it
const openFolder = "${workspaceFolder}";

export const clientNames = [
  ...["claude", "codex", "cursor", "vscode", "zed", "gemini", "opencode"],
  ...["claude-desktop", "windsurf", "cline", "copilot", "junie", "lmstudio"],
] as const satisfies readonly string[];
export type ClientName = (typeof clientNames)[number];

export const clients: Readonly<Record<ClientName, Client>> = {
  claude: {
    title: "Claude Code",
    file: located(".mcp.json", ({ variables }) =>
      join(variables.CLAUDE_CONFIG_DIR || home(variables), ".claude.json"),
    ),
    servers: "mcpServers",
    entry: ([command, ...args]) => ({ type: "stdio", command, args, env: {} }),
    httpEntry: (url) => ({ type: "http", url, headers: bearer(`\${${tokenVariable}}`) }),
    askOnce: { setting: (server) => `add "mcp__${server}" to permissions.allow in ~/.claude/settings.json` },
  },
  codex: {
    title: "Codex",
    file: located(".codex/config.toml", ({ variables }) =>
      join(variables.CODEX_HOME || join(home(variables), ".codex"), "config.toml"),
    ),
    servers: "mcp_servers",
    entry: plainEntry,
    httpEntry: (url) => ({ url, bearer_token_env_var: tokenVariable }),
    askOnce: { entry: { default_tools_approval_mode: "approve" } },
  },
  cursor: {
    title: "Cursor",
    file: located(".cursor/mcp.json"),
    servers: "mcpServers",
    entry: plainEntry,
    httpEntry: (url) => ({ url, headers: bearer(`\${env:${tokenVariable}}`) }),
    askOnce: { setting: (server) => `add "${server}:*" to the MCP allowlist in the settings of Cursor` },
    openFolder,
  },
  vscode: {
    title: "VS Code",
    file: located(".vscode/mcp.json", (folders) => join(applicationFolder(folders, "Code"), "User/mcp.json")),
    servers: "servers",
    entry: ([command, ...args]) => ({ type: "stdio", command, args }),
    httpEntry: (url) => ({ type: "http", url, headers: bearer(`\${env:${tokenVariable}}`) }),
    askOnce: { setting: (server) => `choose to always allow the tools of "${server}" when VS Code asks` },
    openFolder,
  },
  zed: {
    title: "Zed",
    file: located(".zed/settings.json", ({ variables }) =>
      join(configFolder(variables), "zed/settings.json"),
    ),
    servers: "context_servers",
    entry: ([command, ...args]) => ({ source: "custom", command, args, env: {} }),
    askOnce: { setting: (server) => `choose to always allow the tools of "${server}" when Zed asks` },
  },
  gemini: {
    title: "Gemini CLI",
    file: located(".gemini/settings.json", ({ variables }) =>
      join(variables.GEMINI_CLI_HOME || home(variables), ".gemini/settings.json"),
    ),
    servers: "mcpServers",
    entry: plainEntry,
    httpEntry: (url) => ({ httpUrl: url, headers: bearer(`\${${tokenVariable}}`) }),
    askOnce: { entry: { trust: true } },
  },
  opencode: {
    title: "opencode",
    file: (scope, { workspace, variables }) => {
      const { OPENCODE_CONFIG: own, OPENCODE_CONFIG_DIR: ownFolder } = variables;
      if (scope === "user" && own) return resolve(own);
      const folder = scope === "project" ? workspace : ownFolder || join(configFolder(variables), "opencode");
      const withComments = join(folder, "opencode.jsonc");
      return existsSync(withComments) ? withComments : join(folder, "opencode.json");
    },
    servers: "mcp",
    entry: (command) => ({ type: "local", command, enabled: true }),
    httpEntry: (url) => ({ type: "remote", url, enabled: true, headers: bearer(`{env:${tokenVariable}}`) }),
  },
  "claude-desktop": {
    title: "Claude Desktop",
    file: ofUser((folders) => join(applicationFolder(folders, "Claude"), "claude_desktop_config.json")),
    servers: "mcpServers",
    entry: plainEntry,
  },
  windsurf: {
    title: "Windsurf",
    file: ofUser(({ variables }) => join(home(variables), ".codeium/windsurf/mcp_config.json")),
    servers: "mcpServers",
    entry: plainEntry,
    httpEntry: (url) => ({ serverUrl: url, headers: bearer(`\${env:${tokenVariable}}`) }),
  },
  cline: {
    title: "Cline",
    file: ofUser(
      ({ variables }) =>
        variables.CLINE_MCP_SETTINGS_PATH ||
        join(home(variables), ".cline/data/settings/cline_mcp_settings.json"),
    ),
    servers: "mcpServers",
    entry: plainEntry,
  },
  copilot: {
    title: "GitHub Copilot CLI",
    file: (scope, { workspace, variables }) =>
      scope === "project"
        ? join(workspace, ".github/mcp.json")
        : join(variables.COPILOT_HOME || join(home(variables), ".copilot"), "mcp-config.json"),
    servers: "mcpServers",
    entry: ([command, ...args]) => ({ type: "local", command, args, tools: ["*"] }),
  },
  junie: {
    title: "JetBrains Junie",
    file: located(".junie/mcp/mcp.json"),
    servers: "mcpServers",
    entry: plainEntry,
  },
  lmstudio: {
    title: "LM Studio",
    file: ofUser(({ variables }) => join(home(variables), ".lmstudio/mcp.json")),
    servers: "mcpServers",
    entry: plainEntry,
  },
};

function plainEntry([command, ...args]: readonly [string, ...string[]]): ClientEntry {
  return { command, args };
}

function bearer(token: string): ClientEntry {
  return { Authorization: `Bearer ${token}` };
}

/** Returns a `file` function for a path in the project. Default of `own`: the same path in the home directory. */
function located(
  path: string,
  own = ({ variables }: ConfigurationFolders) => join(home(variables), path),
): Client["file"] {
  return (scope, folders) => (scope === "project" ? join(folders.workspace, path) : own(folders));
}

/** Returns a `file` function for a client that reads no configuration of a project. */
function ofUser(own: (folders: ConfigurationFolders) => string): Client["file"] {
  return (scope, folders) => (scope === "user" ? own(folders) : undefined);
}

function home(variables: NodeJS.ProcessEnv): string {
  return variables.HOME || homedir();
}

function configFolder(variables: NodeJS.ProcessEnv): string {
  return variables.XDG_CONFIG_HOME || join(home(variables), ".config");
}

function applicationFolder({ variables, platform }: ConfigurationFolders, name: string): string {
  if (platform === "darwin") return join(home(variables), "Library/Application Support", name);
  if (platform === "win32") return join(variables.APPDATA ?? home(variables), name);
  return join(configFolder(variables), name);
}
