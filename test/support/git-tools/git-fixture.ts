import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type CallResult,
  openToolcrib,
  type Toolcrib,
  type ToolcribOptions,
} from "../../../src/toolcrib/index.ts";

/** A workspace on the disk with a real repository, and a room in it. */
export interface GitFixture {
  readonly crib: Toolcrib;
  /** What holds the workspace and more. */
  readonly home: string;
  readonly workspace: string;
  call(tool: string, input: object): Promise<CallResult>;
  /** Runs git beside it, as a person would: its output without the last line end. */
  git(...args: string[]): string;
  /** Writes files; a folder is made for each. */
  write(files: Readonly<Record<string, string | Uint8Array>>): void;
  /** A program for git to run, if it does: it appends its name and words to a file outside the workspace. */
  payload(name: string, script?: string): string;
  /** A room in another folder, seen from the workspace. */
  openIn(folder: string): Promise<{ readonly crib: Toolcrib; [Symbol.asyncDispose](): Promise<void> }>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface GitFixtureOptions extends ToolcribOptions {
  /** Committed before the room is opened; none for a repository without commits. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Lines of the person's rules. */
  readonly lines?: string;
}

export async function openGitFixture({
  files,
  lines = "",
  ...options
}: GitFixtureOptions = {}): Promise<GitFixture> {
  const home = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib git "));
  const workspace = join(home, "work space");
  mkdirSync(workspace);
  mkdirSync(join(home, "config"));
  writeFileSync(join(home, "config", "rules"), lines);
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: workspace, env: variables, stdio: "pipe" })
      .toString()
      .replace(/\n$/, "");
  const write: GitFixture["write"] = (written) => {
    for (const [path, content] of Object.entries(written)) {
      mkdirSync(dirname(join(workspace, path)), { recursive: true });
      writeFileSync(join(workspace, path), content);
    }
  };
  git("init", "-q", "-b", "main");
  // As the person's own settings on this machine might be otherwise.
  for (const [key, value] of Object.entries(identity)) git("config", key, value);
  git("config", "core.hooksPath", join(workspace, ".git/hooks"));
  if (files !== undefined) {
    write(files);
    git("add", "-A");
    git("commit", "-q", "-m", "First");
  }
  const open = (folder: string) =>
    openToolcrib({
      workspace: folder,
      stateDirectory: join(home, "state"),
      configDirectory: join(home, "config"),
      mode: "cautious",
      ...options,
    });
  const crib = await open(workspace);
  return {
    crib,
    home,
    workspace,
    call: (tool, input) => crib.call(tool, input),
    git,
    write,
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
