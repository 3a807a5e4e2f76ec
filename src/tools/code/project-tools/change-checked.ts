import { posix } from "node:path";
import { errorWith, ToolError } from "../../../contract/error.ts";
import type { OutputLimits, ToolContext } from "../../../contract/tool.ts";
import { outputOf } from "../../../files/list-files.ts";
import { contentHash } from "../../../lib/bytes/content-hash.ts";
import { counted } from "../../../lib/text/format-quantity.ts";
import { toCommandLine } from "../../../lib/text/shell-quote.ts";
import { truncateText } from "../../../lib/text/truncate.ts";
import { surroundingsOf } from "../../shell/describe-run.ts";
import { runCommand } from "../../shell/run-command.ts";
import { describeCommand, type FoundTool, findTools, inSandboxOnly, noneFound } from "./find-tools.ts";
import { checkers } from "./known-tools.ts";

interface CheckedChange {
  readonly path: string;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/** The time limit of tools that format and check, because a checker may run twice. */
export const projectToolsTimeoutMs = 660_000;

/**
 * Changes a file, runs the project's checker and returns its command. If the check fails, restores the file and throws
 * an error that says whether the check also fails without the change. Needs the accesses of `checkerAccesses`. Throws
 * `stale` when the file changed before it was written, and `unavailable`, with nothing changed, when there is no
 * checker.
 */
export async function changeChecked(change: CheckedChange, context: ToolContext): Promise<string> {
  const checker = await findChecker(change.path, context);
  const command = describeCommand(checker);
  await writeChange(change, context, context.signal);
  const after = await run(checker, context).catch((error: unknown) => restore(change, context, error));
  if (after.passed) return command;
  await writeChange(inverse(change), context).catch((error: unknown) => {
    if (!(error instanceof ToolError && error.code === "stale")) throw error;
    throw leftAlone(change, command, after.output);
  });
  const before = await run(checker, context).catch((error: unknown) => {
    throw asToolError(error, `${change.path} was restored`);
  });
  throw new ToolError("invalid-input", `\`${command}\` fails with this change; ${change.path} was restored`, {
    hint: hintAfter(before, after),
    output: after.output,
  });
}

interface CheckRun {
  readonly passed: boolean;
  /** The whole output; undefined when it was too long or the check timed out. */
  readonly wholeOutput: string | undefined;
  readonly output: string;
}

function hintAfter(before: CheckRun, after: CheckRun): string {
  if (before.passed) return "Fix what it reports, or leave out `run_check`.";
  const isKnown = before.wholeOutput !== undefined && after.wholeOutput !== undefined;
  const isNew = !isKnown || complaintsAdded(before.wholeOutput, after.wholeOutput).length > 0;
  if (isNew)
    return "It also fails without the change, with other messages. Fix what it reports, or leave out `run_check`.";
  return "It fails in the same way without the change: fix that first, or leave out `run_check`.";
}

async function run({ tool, program, args, directory }: FoundTool, context: ToolContext): Promise<CheckRun> {
  const command = toCommandLine([program, ...args]);
  context.progress(`Checking: ${command}`);
  const cwd = posix.join(context.environment.workspace, directory);
  const ended = await runCommand({ command, cwd, timeoutMs, limits }, context);
  const { exitCode, timedOut, shown } = ended;
  if (exitCode === notExecutable || exitCode === notFound) throw notRun(command, shown.text);
  const end = timedOut ? [`It did not finish within ${timeoutMs / 1000} s.`] : [];
  const text = truncateText(
    shown.text.trimEnd(),
    limits,
    ({ lines }) => `… ${counted(lines, "line")} left out`,
  ).text;
  return {
    passed: !timedOut && exitCode !== null && (exitCode === 0 || exitCode === tool.passes),
    wholeOutput: shown.gaps.length > 0 || timedOut ? undefined : shown.text,
    output: [text, ...end, ...surroundingsOf(ended)].filter((part) => part !== "").join("\n"),
  };
}

/** Shells exit with these codes when a program cannot be executed or is not found. */
const [notExecutable, notFound] = [126, 127];

function notRun(command: string, output: string): ToolError {
  return new ToolError("unavailable", `\`${command}\` could not be run`, {
    hint: "Install what it needs, or leave out `run_check`.",
    output,
  });
}

const timeoutMs = 300_000;
const limits: OutputLimits = { maxChars: 8_000, keep: "both" };

async function writeChange(
  { path, before, after }: CheckedChange,
  { environment }: ToolContext,
  signal?: AbortSignal,
): Promise<void> {
  await environment.change([{ path, before: contentHash(before), after }], { signal });
}

function inverse({ path, before, after }: CheckedChange): CheckedChange {
  return { path, before: after, after: before };
}

/** Restores the file after a check that was cancelled or could not run, because an unchecked change must not stay. */
async function restore(change: CheckedChange, context: ToolContext, error: unknown): Promise<never> {
  const isBack = await writeChange(inverse(change), context).then(
    () => true,
    () => false,
  );
  const state = isBack ? "was restored" : "could not be restored and still has the change";
  throw asToolError(error, `${change.path} ${state}`);
}

function asToolError(error: unknown, state: string): ToolError {
  const known =
    error instanceof ToolError ? error : new ToolError("internal", String(error), { cause: error });
  return errorWith(known, { message: `${known.message}; ${state}` });
}

function leftAlone({ path }: CheckedChange, command: string, output: string): ToolError {
  return new ToolError("stale", `\`${command}\` fails with this change, and ${path} was changed meanwhile`, {
    hint: "The file contains both changes: read it, then fix the reported problems or remove your change.",
    output,
  });
}

/** Returns the first checker whose program is installed. */
async function findChecker(path: string, context: ToolContext): Promise<FoundTool> {
  const missing: string[] = [];
  for (const found of await findTools(path, { tools: checkers, prefer: "first" }, context)) {
    const refused = await inSandboxOnly(found, context);
    const program = found.isOfProject ? found.program : await locate(found.program, context);
    if (refused === undefined && program !== undefined) return { ...found, program };
    missing.push(refused ?? `${found.program} is not installed`);
  }
  throw noneFound("checker", path, missing);
}

/** Returns the path of an installed program. A shell built-in finds it, so programs in the workspace do not count. */
async function locate(name: string, context: ToolContext): Promise<string | undefined> {
  const found = await outputOf("sh", { args: ["-c", 'command -v -- "$1"', "sh", name] }, context);
  const path = found?.text.trim();
  return path?.startsWith("/") ? path : undefined;
}

/** Returns the lines of a checker's new output that are not in its old output, ignoring line numbers. */
export function complaintsAdded(before: string, after: string): readonly string[] {
  const known = new Map<string, number>();
  for (const line of before.split("\n")) known.set(plain(line), (known.get(plain(line)) ?? 0) + 1);
  return after.split("\n").filter((line) => {
    const left = known.get(plain(line)) ?? 0;
    known.set(plain(line), left - 1);
    return left <= 0;
  });
}

function plain(line: string): string {
  return line.replace(lineNumbers, "0").replace(sums, "0 $1").trim();
}

/** Matches the numbers in `a.rs:3:5`, `a.ts(3,5)` and `line 3`, and the number before a quoted source line. */
const lineNumbers = /(?<=[:(,]|\blines? |^\s*)\d+(?=[:),|\s\u2502-]|$)/g;

/** Matches totals such as "Found 2 errors in 1 file", because another total is not a new error. */
const sums = /\b\d+ (?:\w+ )?(error|warning|problem|issue|diagnostic|offense|file)s?\b/g;
