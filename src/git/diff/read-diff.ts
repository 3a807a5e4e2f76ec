import type { OutputKept } from "../../contract/output.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { explainFailure } from "../explain-failure.ts";
import { gitPath, isHidden } from "../paths.ts";
import { complaintOf, type GitOptions, type Repository, startGit } from "../run-git.ts";
import { heldDiffOptions } from "../settings.ts";
import { type DiffFile, DiffReader } from "./diff-reader.ts";
import { LongText } from "./long-text.ts";

/** A diff as it was read: all of its files, and as much of its text as can be shown. */
export interface Diff {
  readonly files: readonly DiffFile[];
  /** Left out, as they may hold secrets. */
  readonly hidden: readonly string[];
  readonly text: string;
  /** Present when `text` is only the beginning. */
  readonly kept?: OutputKept;
}

export interface DiffWanted {
  /** "diff" or "show", and what of it: hashes, pathspecs. */
  readonly words: readonly string[];
  readonly pathspecs: readonly string[];
  readonly contextLines: number;
  /** How much of the text is held; all of it is kept. */
  readonly maxChars: number;
}

/** Has git compare, and reads what it says as it comes, in constant memory. */
export async function readDiff(
  { words, pathspecs, contextLines, maxChars }: DiffWanted,
  repository: Repository,
  context: Pick<ToolContext, "environment" | "signal" | "outputs" | "progress">,
  options: GitOptions = {},
): Promise<Diff> {
  const [command = "", ...rest] = words;
  const args = [command, ...diffOptions(repository), "-p", `-U${contextLines}`, ...rest, ...pathspecs];
  const process = await startGit(repository, args, context, options);
  const complaint = complaintOf(process);
  const reader = new DiffReader({
    prefix: repository.prefix,
    shows: (path) => !isHidden(repository, gitPath(repository, path), context.environment),
  });
  const text = new LongText(context.outputs, maxChars);
  try {
    for await (const piece of process.stdout) await text.add(reader.push(piece));
    await text.add(reader.end());
  } catch (error) {
    process.stop();
    await text.end();
    throw error;
  }
  const { code } = await process.exit;
  const shown = await text.end();
  if (code !== 0) throw explainFailure(await complaint, code);
  return { files: reader.files, hidden: reader.hidden, ...shown };
}

/** Names in the answer are of the workspace. */
export function diffOptions({ prefix, below }: Repository): readonly string[] {
  return [
    ...heldDiffOptions,
    "-M",
    below === "" ? "--no-relative" : "--relative",
    `--src-prefix=a/${prefix}`,
    `--dst-prefix=b/${prefix}`,
  ];
}
