import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, closeSync, constants, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { launcher } from "./built-program.ts";
import { type CommandResult, runInHost } from "./command-host.ts";
import { type EmulatedTerminal, emulatedTerminal, type TerminalSetup } from "./emulated-terminal.ts";
import { onTerminal, type TerminalRun } from "./pseudo-terminal.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A workspace in which the command line runs, with its own home directory. */
export interface CliWorkspace extends AsyncDisposable {
  readonly workspace: string;
  readonly home: string;
  /** The variables of its processes. */
  readonly env: NodeJS.ProcessEnv;
  /** The file of the user's own rules. */
  readonly userRules: string;
  /** Paths relative to the workspace, or absolute. */
  write(path: string, content: string): void;
  read(path: string): string;
  /** Runs without a terminal, in a process that runs many command lines one after the other. */
  run(...words: readonly string[]): Promise<CommandResult>;
  /** Like `run`, with a standard input. */
  feed(input: string, ...words: readonly string[]): Promise<CommandResult>;
  /** Runs the built program with pipes. Also faster for commands that start workers, which are then built, too. */
  runProcess(...words: readonly string[]): Promise<CommandResult>;
  /** Writes its output to this file. */
  runInto(file: string, ...words: readonly string[]): Promise<Omit<CommandResult, "stdout">>;
  /** Only starts it. */
  start(...words: readonly string[]): ChildProcessWithoutNullStreams;
  /** Runs it on a terminal, with typed input. */
  onTerminal(
    words: readonly string[],
    typed: TerminalRun["typed"],
    env?: NodeJS.ProcessEnv,
  ): ReturnType<typeof onTerminal>;
  /** Starts it on a terminal whose screen can be read. */
  emulate(words: readonly string[], setup?: Omit<TerminalSetup, "cwd">): EmulatedTerminal;
}

/** `await using` removes it. Settings of the user who runs the tests do not apply, except these variables. */
export function cliWorkspace(variables: NodeJS.ProcessEnv = {}): CliWorkspace {
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
    spawn(process.execPath, [launcher, ...words], { cwd: workspace, env });
  const feed = (input: string, words: readonly string[]) => runInHost({ words, input, cwd: workspace, env });
  const runProcess = async (words: readonly string[]) => {
    const child = start(words);
    child.stdin.end();
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
    env,
    userRules: join(home, "config/rules"),
    write: (path, content) => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
    },
    read: (path) => readFileSync(at(path), "utf8"),
    run: (...words) => feed("", words),
    feed: (input, ...words) => feed(input, words),
    runProcess: (...words) => runProcess(words),
    runInto: async (file, ...words) => {
      const output = openSync(file, "w");
      const stdio = ["ignore", output, "pipe"] as const;
      const child = spawn(process.execPath, [launcher, ...words], {
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
      onTerminal([process.execPath, launcher, ...words], {
        typed,
        cwd: workspace,
        env: { ...env, ...more },
      }),
    emulate: (words, { env: more, ...setup } = {}) =>
      emulatedTerminal([process.execPath, launcher, ...words], {
        ...setup,
        cwd: workspace,
        env: { ...env, NO_COLOR: "1", LC_ALL: "C.UTF-8", ...more },
      }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Removes the keys and servers of the user who runs the tests. */
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
