import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";

const modules = join(import.meta.dirname, "node_modules");

/** The packed Toolcrib, as npm would install it. */
export const installed: string = join(modules, "toolcrib");
export const tarball: string = join(modules, "toolcrib.tgz");

/** The supported versions of Node that run here: of 22 the oldest, of 26 a recent one, and the one that runs the tests. */
export const nodes: readonly { readonly version: string; readonly path: string }[] = [
  { version: "22.18", path: nodeProgram(22) },
  { version: "24", path: process.execPath },
  { version: "26", path: nodeProgram(26) },
].filter(({ path }) => existsSync(path));

function nodeProgram(major: number): string {
  return join(modules, `node-${major}-${process.platform}-${process.arch}`, "bin/node");
}

export interface ProgramRun {
  readonly cwd: string;
  /** Default: the Node that runs the tests. */
  readonly program?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Runs a program in a workspace, with Toolcrib's files in a folder next to it. Returns what it wrote; rejects with that when it
 * fails.
 */
export async function runProgram(
  words: readonly string[],
  { cwd, program, env }: ProgramRun,
): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(program ?? process.execPath, words, {
    cwd,
    env: { PATH: process.env.PATH, HOME: `${cwd}-home`, TOOLCRIB_HOME: `${cwd}-home`, ...env },
  });
  if (stderr !== "") throw new Error(stderr);
  return stdout;
}

/**
 * Says why Claude Code cannot start; undefined when it can. It is a program of its own package for each platform, which
 * npm may leave out.
 */
export function whyClaudeCodeCannotStart(): string | undefined {
  const names = ["", "-musl"].map((libc) => `${process.platform}-${process.arch}${libc}`);
  const { resolve } = createRequire(import.meta.resolve("@anthropic-ai/claude-agent-sdk"));
  const reasons = names.map((name) => {
    try {
      execFileSync(resolve(`@anthropic-ai/claude-agent-sdk-${name}/claude`), ["--version"], {
        stdio: "pipe",
      });
      return undefined;
    } catch (error) {
      return (error as Error).message.split("\n")[0];
    }
  });
  return reasons.includes(undefined) ? undefined : reasons[0];
}
