import { execFileSync } from "node:child_process";
import {
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import type { Tool } from "../../../src/contract/tool.ts";
import { throwIfAborted } from "../../../src/lib/async/abort.ts";
import { contentHash } from "../../../src/lib/bytes/content-hash.ts";
import {
  type CallResult,
  openToolcrib,
  type Toolcrib,
  type ToolcribOptions,
} from "../../../src/toolcrib/index.ts";
import type { TargetWorkspace } from "../remote/target-workspace.ts";

/** A workspace on the disk in which a real bash runs commands, which can be undone. */
export interface CommandFixture {
  readonly crib: Toolcrib;
  readonly home: string;
  readonly workspace: string;
  /** Runs a command as a tool call. */
  bash(command: string): Promise<CallResult>;
  undo(call: CallResult): Promise<CallResult>;
  /** Runs a command outside Toolcrib, as a user would. */
  beside(command: string): void;
  /** The number of stored contents. */
  blobs(): number;
  [Symbol.asyncDispose](): Promise<void>;
}

/** `on`: the workspace of a target, instead of one on this machine. */
export async function openCommandFixture(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  {
    git = false,
    on,
    ...options
  }: ToolcribOptions & { readonly git?: boolean; readonly on?: TargetWorkspace } = {},
): Promise<CommandFixture> {
  const home = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib scan "));
  const workspace = on?.here ?? join(home, "work space");
  on?.empty();
  mkdirSync(workspace, { recursive: true });
  for (const folder of new Set(Object.keys(files).map((path) => dirname(path))))
    mkdirSync(join(workspace, folder), { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    writeFileSync(join(workspace, path), content);
    // Most real files are old.
    utimesSync(join(workspace, path), 1_700_000_000, 1_700_000_000);
  }
  // A file that was changed a moment ago is copied, even if git has its content.
  if (git) runBeside(workspace, "git init -q && git add -A && git commit -q -m first && sleep 0.1");
  const place = on && { workspace: undefined, environment: on.environment };
  const fixture = await openAnotherFixture({ home, workspace }, { ...options, ...place });
  return {
    ...fixture,
    [Symbol.asyncDispose]: async () => {
      await fixture[Symbol.asyncDispose]();
      execFileSync("chmod", ["-R", "u+rwX", home]);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Opens an instance in the workspace of a fixture, which stays when the instance is closed. */
async function openAnotherFixture(
  { home, workspace }: Pick<CommandFixture, "home" | "workspace">,
  options: ToolcribOptions = {},
): Promise<CommandFixture> {
  const { crib } = await openFixtureIn(home, options);
  return {
    crib,
    home,
    workspace,
    beside: (command) => runBeside(workspace, command),
    blobs: () => globSync("state/workspaces/*/blobs/??/*", { cwd: home }).length,
    bash: (command) => crib.call("trial.bash", { command }),
    undo: ({ callId }) => crib.call("trial.undo", { call: callId }),
    [Symbol.asyncDispose]: () => crib.close(),
  };
}

function runBeside(workspace: string, command: string): void {
  execFileSync("bash", ["-c", command], { cwd: workspace, stdio: "pipe", env: variables });
}

/** Opens an instance again in an existing folder. */
export async function openFixtureIn(
  home: string,
  options: ToolcribOptions = {},
): Promise<{ readonly crib: Toolcrib; readonly workspace: string }> {
  const workspace = join(home, "work space");
  const crib = await openToolcrib({
    workspace,
    stateDirectory: join(home, "state"),
    configDirectory: join(home, "config"),
    mode: "yolo",
    // The scan must find everything that a command may do, including what a sandbox would prevent.
    sandbox: "none",
    approve: () => ({ allow: true }),
    tools: [bashTool, undoTool],
    undoScope: "workspace",
    ...options,
  });
  return { crib, workspace };
}

const variables = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
};

/** Describes everything in a directory: kind, permissions, and content or link target. */
export function treeOf(
  folder: string,
  { without = [".git"] }: { without?: readonly string[] } = {},
): Record<string, string> {
  const tree: Record<string, string> = {};
  const enter = (path: string) => {
    for (const name of readdirSync(join(folder, path))
      .filter((other) => !without.includes(other))
      .sort()) {
      const entry = path === "" ? name : `${path}/${name}`;
      const stats = lstatSync(join(folder, entry));
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isSymbolicLink()) tree[entry] = `link to ${readlinkSync(join(folder, entry))}`;
      else if (stats.isFile()) tree[entry] = `file ${mode} ${showContent(readFileSync(join(folder, entry)))}`;
      else tree[entry] = `${stats.isDirectory() ? "directory" : "special"} ${mode}`;
      if (stats.isDirectory()) enter(entry);
    }
  };
  enter("");
  return tree;
}

function showContent(content: Buffer): string {
  return content.length <= 100
    ? JSON.stringify(content.toString("latin1"))
    : `${content.length} ${contentHash(content)}`;
}

const limits = { maxChars: 10_000, keep: "both" } as const;

const bashTool: Tool<{ command: string }, { readonly code: number | null }> = {
  name: "trial.bash",
  description: "Runs a command.",
  risk: "execute",
  input: z.strictObject({ command: z.string() }),
  limits,
  accesses: ({ command }) => [{ kind: "execute", command }],
  run: async ({ command }, { environment, signal }) => {
    const process = await environment.start("bash", { args: ["-c", command], signal, env: gitIdentity });
    const pieces: Uint8Array[] = [];
    for await (const piece of process.stdout) pieces.push(piece);
    const { code } = await process.exit;
    throwIfAborted(signal);
    return { data: { code: code ?? null }, text: Buffer.concat(pieces).toString() };
  },
};

const gitIdentity = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
};

const undoTool: Tool<{ call: string; skipChanged?: boolean | undefined }> = {
  name: "trial.undo",
  description: "Undoes a call.",
  risk: "write",
  input: z.strictObject({ call: z.string(), skipChanged: z.optional(z.boolean()) }),
  limits,
  accesses: () => [{ kind: "write", path: "." }],
  run: async ({ call, skipChanged = false }, { history }) => {
    const { notes } = await history.undo({ kind: "calls", ids: [call] }, { skipChanged });
    return { data: { notes }, text: notes.join("\n") };
  },
};
