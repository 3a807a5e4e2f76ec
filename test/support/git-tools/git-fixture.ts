import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type CallResult,
  openToolcrib,
  type Toolcrib,
  type ToolcribOptions,
} from "../../../src/toolcrib/index.ts";

/** A workspace on the disk with a real repository, and a Toolcrib instance in it. Default: without a sandbox. */
export interface GitFixture extends Worktree {
  readonly crib: Toolcrib;
  /** The folder of the workspace; tests put other files there too. */
  readonly home: string;
  call(tool: string, input: object): Promise<CallResult>;
  /** Adds settings to the repository's own, as `git config --add` does, without starting git. */
  configure(settings: Readonly<Record<string, string>>): void;
  /** A program for git to run, if it does: it appends its name and arguments to the file `ran` in `home`. */
  payload(name: string, script?: string): string;
  /** An instance in another folder, given relative to the workspace. */
  openIn(folder: string): Promise<{ readonly crib: Toolcrib; [Symbol.asyncDispose](): Promise<void> }>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Worktree {
  readonly workspace: string;
  /** Runs git outside Toolcrib, as a user does: its output without the last line end. */
  git(...args: string[]): string;
  /** Runs several commands in one shell, which is much cheaper than as many calls of `git`. Stops at the first error. */
  sh(script: string): string;
  /** The commit of a local branch, or of HEAD. */
  commitOf(name: string): string;
  /** Writes files and makes their folders. */
  write(files: Readonly<Record<string, string | Uint8Array>>): void;
}

export interface GitFixtureOptions extends ToolcribOptions {
  /** Committed before the instance opens; none for a repository without commits. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /**
   * Continues the history after `files`. It runs once for all fixtures with the same function, which get copies: its result
   * must not depend on the path of the workspace, or on anything but its argument.
   */
  readonly prepare?: (worktree: Worktree) => void;
  /** Settings of the repository. Default: an author, and what keeps the user's own settings from mattering. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Lines of the user's rules. */
  readonly lines?: string;
}

export async function openGitFixture({
  files,
  prepare,
  settings,
  lines = "",
  ...options
}: GitFixtureOptions = {}): Promise<GitFixture> {
  const home = temporaryHome();
  const worktree = worktreeIn(home);
  const { workspace } = worktree;
  mkdirSync(join(home, "config"));
  writeFileSync(join(home, "config", "rules"), lines);
  copyInto(workspace, preparedRepository(files, prepare));
  const configure: GitFixture["configure"] = (added) =>
    appendFileSync(join(workspace, ".git/config"), settingsText(added));
  configure(settings ?? { ...identity, "core.hooksPath": join(workspace, ".git/hooks") });
  const open = (folder: string) =>
    openToolcrib({
      workspace: folder,
      stateDirectory: join(home, "state"),
      configDirectory: join(home, "config"),
      mode: "cautious",
      sandbox: "none",
      ...options,
    });
  const crib = await open(workspace);
  return {
    ...worktree,
    crib,
    home,
    call: (tool, input) => crib.call(tool, input),
    configure,
    payload: (name, script = "") => {
      const path = join(home, name);
      writeFileSync(path, `#!/bin/sh\necho "${name} $*" >> "${join(home, "ran")}"\n${script}\n`, {
        mode: 0o755,
      });
      return path;
    },
    openIn: async (folder) => {
      const other = await open(join(workspace, folder));
      return { crib: other, [Symbol.asyncDispose]: () => other.close() };
    },
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function temporaryHome(): string {
  return mkdtempSync(join(realpathSync(tmpdir()), "toolcrib git "));
}

function worktreeIn(home: string): Worktree {
  const workspace = join(home, "work space");
  mkdirSync(workspace);
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: workspace, env: variables, stdio: "pipe" })
      .toString()
      .replace(/\n$/, "");
  return {
    workspace,
    git: (...args) => run("git", ...args),
    sh: (script) => run("sh", "-ec", script),
    commitOf: (name) => {
      const read = (path: string) => readFileSync(join(workspace, ".git", path), "utf8").trim();
      const value = read(name === "HEAD" ? name : `refs/heads/${name}`);
      return value.startsWith("ref: ") ? read(value.slice("ref: ".length)) : value;
    },
    write: (written) => {
      for (const [path, content] of Object.entries(written)) {
        mkdirSync(dirname(join(workspace, path)), { recursive: true });
        writeFileSync(join(workspace, path), content);
      }
    },
  };
}

interface Entry {
  readonly path: string;
  readonly mode: number;
  /** Undefined for a folder. */
  readonly content: Uint8Array | undefined;
}

/** Git makes each repository once per test process. It is kept in memory, so that nothing is left on the disk. */
function preparedRepository(
  files: GitFixtureOptions["files"],
  prepare: GitFixtureOptions["prepare"],
): readonly Entry[] {
  const key = JSON.stringify(files);
  const known = prepared.get(prepare) ?? new Map<string, readonly Entry[]>();
  prepared.set(prepare, known);
  const entries = known.get(key) ?? makeRepository(files, prepare);
  known.set(key, entries);
  return entries;
}

const prepared = new Map<GitFixtureOptions["prepare"], Map<string | undefined, readonly Entry[]>>();

function makeRepository(
  files: GitFixtureOptions["files"],
  prepare: GitFixtureOptions["prepare"],
): readonly Entry[] {
  const home = temporaryHome();
  try {
    const worktree = worktreeIn(home);
    const { workspace, sh, write } = worktree;
    // Without the examples of hooks, which would be copied and removed again for every test.
    sh("git init -q -b main --template= && mkdir .git/hooks .git/info");
    const config = join(workspace, ".git/config");
    const initial = readFileSync(config);
    appendFileSync(config, settingsText({ ...identity, "maintenance.auto": "false" }));
    if (files !== undefined) {
      write(files);
      sh("git add -A && git commit -q -m First");
    }
    prepare?.(worktree);
    // Packs the objects into a few files instead of one file each.
    sh("git repack -a -d -q");
    writeFileSync(config, initial);
    return entriesBelow(workspace, "");
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function entriesBelow(folder: string, below: string): readonly Entry[] {
  return readdirSync(join(folder, below)).flatMap((name): readonly Entry[] => {
    const path = join(below, name);
    const info = lstatSync(join(folder, path));
    if (!info.isDirectory()) return [{ path, mode: info.mode, content: readFileSync(join(folder, path)) }];
    return [{ path, mode: info.mode, content: undefined }, ...entriesBelow(folder, path)];
  });
}

function copyInto(folder: string, entries: readonly Entry[]): void {
  for (const { path, mode, content } of entries)
    if (content === undefined) mkdirSync(join(folder, path));
    else writeFileSync(join(folder, path), content, { mode });
}

/** Formats settings by key, "section.name" or "section.part.name", as a settings file of git. */
function settingsText(settings: Readonly<Record<string, string>>): string {
  const quoted = (text: string) => `"${text.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
  return Object.entries(settings)
    .map(([key, value]) => {
      const [, section, part, name] = /^([^.]+)(?:\.(.+))?\.([^.]+)$/s.exec(key)!;
      return `[${section}${part === undefined ? "" : ` ${quoted(part)}`}]\n\t${name} = ${quoted(value)}\n`;
    })
    .join("");
}

const identity = {
  "user.name": "Ada",
  "user.email": "ada@example.org",
  "commit.gpgSign": "false",
};

const variables = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
};
