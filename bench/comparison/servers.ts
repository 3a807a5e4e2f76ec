import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { Talk } from "../mcp/talk.ts";

/** One task, done with the tools of one server. Returns the answer, or throws the error of the server. */
type Task<Arguments extends readonly string[]> = (talk: Talk, ...values: Arguments) => Promise<string>;

/** An MCP server, started by its own documentation and confined to the workspace as far as it can be. */
export interface Server {
  readonly name: string;
  /** A package of npm with its version. Toolcrib is packed from this checkout. */
  readonly package?: string;
  /** Versions without which npm cannot install the package. */
  readonly overrides?: Readonly<Record<string, string>>;
  /** Relative to the folder of the package. */
  readonly program: string;
  readonly settings: string;
  words(workspace: string): readonly string[];
  /** Other arguments for the tasks that run commands. */
  readonly commandWords?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  prepare?(folders: Folders): void;
  /** Reads a file, or shows its lines in another way. */
  readonly read?: Task<[path: string]>;
  readonly write?: Task<[path: string, content: string]>;
  readonly edit?: Task<[path: string, find: string, replace: string]>;
  /** Searches the content of all files of a folder for a plain text. */
  readonly search?: Task<[folder: string, text: string]>;
  readonly run?: Task<[workspace: string, command: string]>;
  readonly status?: Task<[repository: string]>;
  /** Undoes the last change. */
  readonly undo?: Task<[]>;
}

interface Folders {
  readonly workspace: string;
  /** The home folder of the server, so that it uses no settings of yours. */
  readonly home: string;
}

export const servers: readonly Server[] = [
  {
    name: "Toolcrib",
    program: "bin/toolcrib.js",
    settings:
      "`toolcrib mcp --workspace DIR` in the default mode. For tasks with commands also `--rule 'allow run **'`, because no user is there to approve them; the sandbox stays on",
    words: (workspace) => ["mcp", "--workspace", workspace],
    commandWords: ["--rule", "allow run **"],
    read: (talk, path) => talk.answer("file_read", { path }),
    write: (talk, path, content) => talk.answer("file_write", { path, content }),
    edit: (talk, path, find, replace) => talk.answer("edit_replace", { path, find, replace }),
    search: (talk, path, pattern) => talk.answer("search_grep", { path, pattern, literal: true }),
    run: (talk, _, command) => talk.answer("shell_run", { command }),
    status: (talk) => talk.answer("git_status", {}),
    undo: (talk) => talk.answer("journal_undo", {}),
  },
  {
    name: "server-filesystem",
    package: "@modelcontextprotocol/server-filesystem@2026.8.31",
    program: "dist/index.js",
    settings: "the workspace as its argument",
    words: (workspace) => [workspace],
    read: (talk, path) => talk.answer("read_text_file", { path }),
    write: (talk, path, content) => talk.answer("write_file", { path, content }),
    edit: (talk, path, oldText, newText) => talk.answer("edit_file", { path, edits: [{ oldText, newText }] }),
  },
  {
    name: "Desktop Commander",
    package: "@wonderwhy-er/desktop-commander@0.2.52",
    // 0.2.52 asks for a version of this package that does not exist.
    overrides: { "typedarray.prototype.slice": "1.0.5" },
    program: "dist/index.js",
    settings:
      "`allowedDirectories` holds the workspace and `telemetryEnabled` is false, in its `config.json`. npm needs an override to install it",
    words: () => ["--no-onboarding"],
    prepare: ({ home, workspace }) => {
      const folder = join(home, ".claude-server-commander");
      mkdirSync(folder, { recursive: true });
      const settings = {
        allowedDirectories: [workspace],
        telemetryEnabled: false,
        defaultShell: "/bin/bash",
      };
      writeFileSync(join(folder, "config.json"), JSON.stringify(settings));
    },
    read: (talk, path) => talk.answer("read_file", { path }),
    write: (talk, path, content) => talk.answer("write_file", { path, content, mode: "rewrite" }),
    edit: (talk, file_path, old_string, new_string) =>
      talk.answer("edit_block", { file_path, old_string, new_string }),
    search: searchInSession,
    run: (talk, workspace, command) =>
      talk.answer("start_process", { command: `cd '${workspace}' && ${command}`, timeout_ms: 10_000 }),
  },
  {
    name: "agent-infra filesystem",
    package: "@agent-infra/mcp-server-filesystem@1.2.29",
    program: "dist/index.cjs",
    settings: "`--allowed-directories DIR`",
    words: (workspace) => ["--allowed-directories", workspace],
    read: (talk, path) => talk.answer("read_file", { path }),
    write: (talk, path, content) => talk.answer("write_file", { path, content }),
    edit: (talk, path, oldText, newText) => talk.answer("edit_file", { path, edits: [{ oldText, newText }] }),
  },
  {
    name: "agent-infra commands",
    package: "@agent-infra/mcp-server-commands@1.2.18",
    program: "dist/index.cjs",
    settings: "no arguments: it cannot be confined. It reads and searches by `cat` and `grep`",
    words: () => [],
    read: (talk, path) => talk.answer("run_command", { command: `cat '${path}'` }),
    search: (talk, folder, text) =>
      talk.answer("run_command", { command: `grep -rnF '${text}' '${folder}'` }),
    run: (talk, cwd, command) => talk.answer("run_command", { command, cwd }),
  },
  {
    name: "mcp-ripgrep",
    package: "mcp-ripgrep@0.4.0",
    program: "dist/index.js",
    settings: "no arguments: it cannot be confined. `rg` is on the path; it reads by a search for every line",
    words: () => [],
    read: (talk, path) => talk.answer("search", { path, pattern: "^" }),
    search: (talk, path, pattern) => talk.answer("advanced-search", { path, pattern, fixedStrings: true }),
  },
  {
    name: "cyanheads git",
    package: "@cyanheads/git-mcp-server@2.15.3",
    program: "dist/index.js",
    settings: "`GIT_BASE_DIR` is the workspace and `MCP_LOG_LEVEL` is `error`",
    words: () => [],
    variables: { MCP_LOG_LEVEL: "error", MCP_TRANSPORT_TYPE: "stdio" },
    status: (talk, path) => talk.answer("git_status", { path }),
  },
];

export interface StartOptions extends Folders {
  /** The installed program. */
  readonly program: string;
  /** Whether tasks with commands follow. */
  readonly forCommands?: boolean;
}

/** Starts a server in the workspace, as a client does. */
export function startServer(server: Server, options: StartOptions): Talk {
  const { program, workspace, home, forCommands } = options;
  server.prepare?.(options);
  const words = [program, ...server.words(workspace), ...((forCommands && server.commandWords) || [])];
  const { PATH, LANG } = process.env;
  const env = {
    PATH: `${dirname(rgPath)}${delimiter}${PATH}`,
    LANG,
    HOME: home,
    GIT_BASE_DIR: workspace,
    ...server.variables,
  };
  return new Talk(words, { cwd: workspace, env });
}

async function searchInSession(talk: Talk, path: string, pattern: string): Promise<string> {
  const started = await talk.answer("start_search", {
    path,
    pattern,
    searchType: "content",
    literalSearch: true,
  });
  const [sessionId] = /search_[\w]+/.exec(started) ?? [];
  if (sessionId === undefined) throw new Error(started);
  for (;;) {
    const more = await talk.answer("get_more_search_results", { sessionId });
    if (!/IN PROGRESS/i.test(more)) return started + more;
  }
}
