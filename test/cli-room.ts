import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { onTerminal, type TerminalRun } from "./pseudo-terminal.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const main = join(import.meta.dirname, "../src/apps/cli/main.ts");

/** A workspace in which the command line runs from its source, with a home of its own. */
export interface CliRoom extends AsyncDisposable {
  readonly workspace: string;
  readonly home: string;
  /** Where the person's own rules stand. */
  readonly userRules: string;
  /** Paths relative to the workspace, or absolute. */
  write(path: string, content: string): void;
  read(path: string): string;
  /** Nobody sits there: input and outputs are pipes. */
  run(...words: readonly string[]): Promise<{ exit: number | null; stdout: string; stderr: string }>;
  /** A person sits there and types. */
  onTerminal(
    words: readonly string[],
    typed: TerminalRun["typed"],
    env?: NodeJS.ProcessEnv,
  ): ReturnType<typeof onTerminal>;
}

/** `await using` removes it. */
export function cliRoom(): CliRoom {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  const home = join(folder.path, "home");
  mkdirSync(workspace);
  const at = (path: string) => (path.startsWith("/") ? path : join(workspace, path));
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    TOOLCRIB_HOME: home,
    TOOLCRIB_SEARCH: undefined,
    NO_COLOR: undefined,
    FORCE_COLOR: undefined,
    CI: undefined,
  };
  return {
    workspace,
    home,
    userRules: join(home, "config/rules"),
    write: (path, content) => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
    },
    read: (path) => readFileSync(at(path), "utf8"),
    run: async (...words) => {
      const child = spawn(process.execPath, [main, ...words], { cwd: workspace, env });
      child.stdin.end();
      const [stdout, stderr, [exit]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "close"),
      ]);
      return { exit, stdout, stderr };
    },
    onTerminal: (words, typed, more = {}) =>
      onTerminal([process.execPath, main, ...words], { typed, cwd: workspace, env: { ...env, ...more } }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
