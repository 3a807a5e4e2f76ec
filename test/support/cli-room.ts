import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, closeSync, constants, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { builtProgram } from "./built-program.ts";
import { onTerminal, type TerminalRun } from "./pseudo-terminal.ts";
import { temporaryFolder } from "./temporary-folder.ts";

interface CliRun {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A workspace in which the command line runs, with a home of its own. */
export interface CliRoom extends AsyncDisposable {
  readonly workspace: string;
  readonly home: string;
  /** Where the person's own rules stand. */
  readonly userRules: string;
  /** Paths relative to the workspace, or absolute. */
  write(path: string, content: string): void;
  read(path: string): string;
  /** Nobody sits there: input and outputs are pipes. */
  run(...words: readonly string[]): Promise<CliRun>;
  /** The same, with this as its standard input. */
  feed(input: string, ...words: readonly string[]): Promise<CliRun>;
  /** What it prints goes into this file. */
  runInto(file: string, ...words: readonly string[]): Promise<Omit<CliRun, "stdout">>;
  /** Starts it, and leaves the rest to the caller. */
  start(...words: readonly string[]): ChildProcessWithoutNullStreams;
  /** A person sits there and types. */
  onTerminal(
    words: readonly string[],
    typed: TerminalRun["typed"],
    env?: NodeJS.ProcessEnv,
  ): ReturnType<typeof onTerminal>;
}

/** `await using` removes it. Nothing of the person who runs the tests is known in it, but for these variables. */
export function cliRoom(variables: NodeJS.ProcessEnv = {}): CliRoom {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  const home = join(folder.path, "home");
  mkdirSync(workspace);
  const at = (path: string) => (path.startsWith("/") ? path : join(workspace, path));
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    PATH: searchableDirectories(process.env.PATH),
    TOOLCRIB_HOME: home,
    TOOLCRIB_SEARCH: undefined,
    NO_COLOR: undefined,
    FORCE_COLOR: undefined,
    CI: undefined,
    ...noProviders,
    ...variables,
  };
  const start = (words: readonly string[]) =>
    spawn(process.execPath, [builtProgram, ...words], { cwd: workspace, env });
  const feed = async (input: string, words: readonly string[]) => {
    const child = start(words);
    child.stdin.on("error", () => {}).end(input);
    const [stdout, stderr, [exit]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close"),
    ]);
    return { exit, stdout, stderr };
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
    run: (...words) => feed("", words),
    feed: (input, ...words) => feed(input, words),
    runInto: async (file, ...words) => {
      const output = openSync(file, "w");
      const stdio = ["ignore", output, "pipe"] as const;
      const child = spawn(process.execPath, [builtProgram, ...words], {
        cwd: workspace,
        env,
        stdio: [...stdio],
      });
      closeSync(output);
      const [stderr, [exit]] = await Promise.all([text(child.stderr!), once(child, "close")]);
      return { exit, stderr };
    },
    start: (...words) => start(words),
    onTerminal: (words, typed, more = {}) =>
      onTerminal([process.execPath, builtProgram, ...words], {
        typed,
        cwd: workspace,
        env: { ...env, ...more },
      }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Keys and servers of whoever runs the tests. */
export const noProviders: NodeJS.ProcessEnv = Object.fromEntries(
  Object.keys(process.env)
    .filter((name) => /^(?:OPENAI|ANTHROPIC|GEMINI|GOOGLE|OPENROUTER|OLLAMA|TOOLCRIB_MODEL)/.test(name))
    .map((name) => [name, undefined]),
);

/**
 * The directories of PATH that this user may search. With another one in it, a program that does not exist ends with
 * "permission denied" instead of "not found".
 */
function searchableDirectories(path = ""): string {
  const mayEnter = (directory: string) => {
    try {
      accessSync(directory, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  return path.split(delimiter).filter(mayEnter).join(delimiter);
}
