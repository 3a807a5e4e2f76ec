import { posix } from "node:path";
import type { RunningProcess } from "../../../contract/environment.ts";
import { ToolError } from "../../../contract/error.ts";
import type { ToolContext } from "../../../contract/tool.ts";
import { describeCommand, type FoundTool, findTools, inSandboxOnly, noneFound } from "./find-tools.ts";
import { formatters } from "./known-tools.ts";

/**
 * Formats the text of a file with the project's formatter. Line ends stay; nothing is written. Needs the accesses of
 * `formatterAccesses`. Throws `unavailable` when there is no formatter.
 */
export async function formatText(
  { path, text }: { readonly path: string; readonly text: string },
  context: Formatting,
): Promise<{ readonly text: string; readonly command: string }> {
  const found = await findTools(path, { tools: formatters, prefer: "nearest" }, context);
  const missing: string[] = [];
  for (const tool of found) {
    const refused = await inSandboxOnly(tool, context);
    if (refused !== undefined) {
      missing.push(refused);
      continue;
    }
    const output = await filter(tool, text, context).catch((error: unknown) => {
      if (!(error instanceof ToolError) || error.code !== "unavailable") throw error;
      missing.push(error.message);
      return undefined;
    });
    if (output === undefined) continue;
    return { text: withLineEndsOf(text, accepted(tool, path, text, output)), command: describeCommand(tool) };
  }
  throw noneFound("formatter", path, missing);
}

type Formatting = Pick<ToolContext, "environment" | "signal">;

interface FilterOutput {
  /** The formatted text; undefined when the output is binary. */
  readonly text: string | undefined;
  /** Whether it was stopped because it printed more than any formatter would. */
  readonly isTooMuch: boolean;
  readonly complaints: string;
  readonly code: number | undefined;
  readonly timedOut: boolean;
}

async function filter(
  { program, args, directory }: FoundTool,
  text: string,
  { environment, signal }: Formatting,
): Promise<FilterOutput> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const running = await environment.start(program, {
    args,
    cwd: posix.join(environment.workspace, directory),
    input: new TextEncoder().encode(text),
    signal: AbortSignal.any([signal, deadline]),
  });
  const most = 4 * text.length + 1024 * 1024;
  const [bytes, complaints] = await Promise.all([
    readUpTo(most, running.stdout, running),
    readUpTo(mostComplaints, running.stderr, undefined),
  ]);
  const { code, remarks } = await running.exit;
  signal.throwIfAborted();
  return {
    text: decoded(bytes.kept),
    isTooMuch: !bytes.isWhole,
    complaints: [new TextDecoder().decode(complaints.kept).trimEnd(), ...remarks].filter(Boolean).join("\n"),
    code,
    timedOut: deadline.aborted,
  };
}

/** A formatter takes milliseconds, or seconds on a virtual machine. */
const timeoutMs = 30_000;
const mostComplaints = 16 * 1024;

async function readUpTo(
  most: number,
  pieces: AsyncIterable<Uint8Array>,
  endless: RunningProcess | undefined,
): Promise<{ readonly kept: Uint8Array; readonly isWhole: boolean }> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes <= most) kept.push(Uint8Array.from(piece));
    else endless?.stop();
  }
  return { kept: Buffer.concat(kept), isWhole: bytes <= most };
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function accepted(tool: FoundTool, path: string, before: string, output: FilterOutput): string {
  const { text, isTooMuch, complaints, code, timedOut } = output;
  const name = describeCommand(tool);
  const refuse = (what: string) =>
    new ToolError("invalid-input", `${name} ${what}: ${path} was not changed`, {
      hint: "Correct the new text, or leave out `run_formatter`.",
      output: complaints === "" ? undefined : complaints,
    });
  if (timedOut) throw refuse(`did not finish within ${timeoutMs / 1000} s`);
  if (isTooMuch) throw refuse("printed far more text than the file has");
  if (code !== 0 && (code === undefined || code !== tool.tool.passes))
    throw refuse(code === undefined ? "was killed" : `failed with exit code ${code}`);
  if (text === undefined) throw refuse("printed binary data");
  if (text.trim() === "" && before.trim() !== "") throw refuse("printed nothing");
  return text;
}

/** Restores the original line ends, which a formatter must not change. */
function withLineEndsOf(before: string, after: string): string {
  const lineEnds = before.match(/\r?\n/g) ?? [];
  if (lineEnds.length === 0 || !lineEnds.every((end) => end === lineEnds[0])) return after;
  return after.replace(/\r?\n/g, lineEnds[0]!);
}
