import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { onTerminal, type TerminalRun } from "./pseudo-terminal.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const main = join(import.meta.dirname, "../../src/cli/main.ts");

interface CliRun {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

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
    TOOLCRIB_HOME: home,
    TOOLCRIB_SEARCH: undefined,
    NO_COLOR: undefined,
    FORCE_COLOR: undefined,
    CI: undefined,
    ...noProviders,
    ...variables,
  };
  const start = (words: readonly string[]) =>
    spawn(process.execPath, [main, ...words], { cwd: workspace, env });
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
      const child = spawn(process.execPath, [main, ...words], { cwd: workspace, env, stdio: [...stdio] });
      closeSync(output);
      const [stderr, [exit]] = await Promise.all([text(child.stderr!), once(child, "close")]);
      return { exit, stderr };
    },
    start: (...words) => start(words),
    onTerminal: (words, typed, more = {}) =>
      onTerminal([process.execPath, main, ...words], { typed, cwd: workspace, env: { ...env, ...more } }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Keys and servers of whoever runs the tests. */
export const noProviders: NodeJS.ProcessEnv = Object.fromEntries(
  Object.keys(process.env)
    .filter((name) => /^(?:OPENAI|ANTHROPIC|GEMINI|GOOGLE|OPENROUTER|OLLAMA|TOOLCRIB_MODEL)/.test(name))
    .map((name) => [name, undefined]),
);
