import type { Environment, RunningProcess } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { throwIfAborted } from "./async/abort.ts";
import { escapeGlob } from "./glob/glob.ts";
import { showPath } from "./text/printable.ts";

interface Places {
  /** Directories in which the program reads ignore files and the like, also deep inside. */
  readonly trees: readonly string[];
  /** Absolute paths of directories in which it may read every file. */
  readonly directories?: readonly string[];
  /** Further files that it may read. */
  readonly files?: () => Promise<readonly string[]>;
}

interface Context {
  readonly environment: Pick<Environment, "start">;
  readonly signal: AbortSignal;
}

type Program = Pick<RunningProcess, "stdout" | "stderr" | "exit" | "stop">;

/**
 * Ends git or ripgrep when it waits for a FIFO or reads an endless file: both open the files that they obey whatever they
 * are. Looks for such a file when the program has run for a second. `exit` then rejects with its name.
 */
export function refuseBlockingFiles(process: RunningProcess, places: Places, context: Context): Program {
  let blocking: string | undefined;
  const look = async () => {
    blocking = await blockingFile(places, context);
    if (blocking !== undefined) process.stop();
  };
  const timer = setTimeout(() => void look().catch(() => {}), patienceMs);
  const ended = process.exit.finally(() => clearTimeout(timer));
  const exit = ended.then((result) => {
    if (blocking !== undefined) throw cannotRead(blocking);
    return result;
  });
  exit.catch(() => {});
  return { stdout: process.stdout, stderr: process.stderr, exit, stop: () => process.stop() };
}

const patienceMs = 1_000;

/** Returns a file that is neither a regular file nor a directory, or that is too large. */
async function blockingFile(
  { trees, directories = [], files = async () => [] }: Places,
  { environment, signal }: Context,
): Promise<string | undefined> {
  const named = await files();
  const anyOf = (tests: readonly string[][]) =>
    tests.flatMap((test, at) => (at === 0 ? test : ["-o", ...test]));
  const texts = anyOf([
    ...ruleFiles.map((name) => ["-name", name]),
    ...named.map((path) => ["-path", escapeGlob(path)]),
    ...directories.map((path) => ["-path", `${escapeGlob(path)}/refs/*`]),
  ]);
  const others = directories.flatMap((path) => ["-o", "-path", `${escapeGlob(path)}/*`]);
  const isSpecial = [
    "!",
    "-type",
    "f",
    "!",
    "-type",
    "d",
    ...test("-e"),
    "!",
    ...test("-f"),
    "!",
    ...test("-d"),
    "!",
    ...test("-S"),
  ];
  const args = [
    ...["-H", ...new Set([...trees, ...directories, ...named])],
    ...["-path", "*/objects/??", "-prune", "-o"],
    ...["(", ...texts, ...others, ")", ...isSpecial, "-print", "-o"],
    ...["(", ...texts, ")", "-type", "f", "-size", `+${maxBytes}c`, "-print"],
  ];
  const process = await environment.start("find", {
    args,
    env: { LC_ALL: "C" },
    confinement: "ours",
    signal,
  });
  let text = "";
  for await (const piece of process.stdout) {
    text += Buffer.from(piece).toString();
    if (text.includes("\n")) process.stop();
  }
  await process.exit;
  throwIfAborted(signal);
  return text === "" ? undefined : text.slice(0, text.indexOf("\n"));
}

const ruleFiles = [".gitignore", ".gitattributes", ".gitmodules", ".mailmap", ".ignore", ".rgignore"];

/** Git ignores larger ones, too. */
const maxBytes = 100 * 1024 * 1024;

/** Follows a link. */
function test(option: string): readonly string[] {
  return ["-exec", "test", option, "{}", ";"];
}

/** Returns the error about a file that programs would wait for, or never read to its end. */
export function cannotRead(path: string): ToolError {
  return new ToolError("unsupported", `${showPath(path)} is not a regular file, or it is too large to read`, {
    hint: "Ask the user to check it, and to delete it.",
    forUser: { hint: "Check it, and delete it." },
  });
}
