import type { OutputKept, Outputs, StoredOutput } from "../../contract/output.ts";
import { showSize } from "../../lib/text/format-quantity.ts";
import { characterStart } from "../../lib/text/truncate.ts";
import { explainFailure } from "../explain-failure.ts";
import { gitPath, isHidden, pathspecs } from "../paths.ts";
import {
  complaintOf,
  fixedDiffOptions,
  type GitOptions,
  outputOfGit,
  type Repository,
  startGit,
} from "../run-git.ts";
import { type DiffFile, DiffReader, type DiffStatus } from "./parse-diff.ts";

interface Diff {
  readonly files: readonly DiffFile[];
  /** Files that are left out because a rule hides them. */
  readonly hidden: readonly string[];
  readonly text: string;
  /** Present when `text` is only the beginning. */
  readonly kept?: OutputKept;
}

interface DiffWanted {
  /** "diff" or "show", with its arguments. */
  readonly words: readonly string[];
  readonly pathspecs: readonly string[];
  readonly contextLines: number;
  readonly maxChars: number;
}

/** Runs a diff and reads it as a stream, in constant memory. */
export async function readDiff(
  { words, pathspecs, contextLines, maxChars }: DiffWanted,
  repository: Repository,
  outputs: Outputs,
  options: GitOptions = {},
): Promise<Diff> {
  const [command = "", ...rest] = words;
  const args = [command, ...diffOptions(repository), "-p", `-U${contextLines}`, ...rest, ...pathspecs];
  const process = await startGit(repository, args, options);
  const complaint = complaintOf(process);
  const reader = new DiffReader({
    prefix: repository.prefix,
    shows: (path) => !isHidden(repository, gitPath(repository, path)),
  });
  const text = new LongText(outputs, maxChars);
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

/** With these options, names in the output are relative to the workspace. */
function diffOptions({ prefix, below }: Repository): readonly string[] {
  return [
    ...fixedDiffOptions,
    "-M",
    below === "" ? "--no-relative" : "--relative",
    `--src-prefix=a/${prefix}`,
    `--dst-prefix=b/${prefix}`,
  ];
}

/** Holds the beginning of a text; stores the whole under a handle if it is longer. */
class LongText {
  readonly #outputs: Outputs;
  readonly #maxChars: number;
  #held = "";
  #kept: StoredOutput | undefined;

  constructor(outputs: Outputs, maxChars: number) {
    this.#outputs = outputs;
    this.#maxChars = maxChars;
  }

  async add(text: string): Promise<void> {
    if (this.#kept !== undefined) return this.#kept.isFull ? undefined : this.#kept.write(text);
    this.#held += text;
    if (this.#held.length <= this.#maxChars) return;
    this.#kept = this.#outputs.begin();
    await this.#kept.write(this.#held);
    this.#held = beginningOf(this.#held, this.#maxChars);
  }

  async end(): Promise<{ readonly text: string; readonly kept?: OutputKept }> {
    if (this.#kept === undefined) return { text: this.#held };
    const { handle } = this.#kept;
    const { keptBytes, isWhole } = await this.#kept.end({ keep: true });
    if (keptBytes === 0) {
      const note = "The rest could not be stored: request fewer paths.";
      return { text: this.#held, kept: { handle: undefined, note, gaps: [] } };
    }
    const stored = isWhole ? "The whole diff is" : `The first ${showSize(keptBytes)} of the diff are`;
    const note = `${stored} stored as ${handle}: pass it as a path to file.read or search.grep.`;
    return { text: this.#held, kept: { handle, note, gaps: [] } };
  }
}

function beginningOf(text: string, maxChars: number): string {
  const end = text.lastIndexOf("\n", maxChars - 1) + 1;
  return text.slice(0, end > 0 ? end : characterStart(text, maxChars));
}

/** Reads which files differ and by how many lines. `words` is "diff" or "show", with its arguments. */
export async function readNumbers(
  words: readonly string[],
  paths: readonly string[],
  repository: Repository,
  options: GitOptions = {},
): Promise<readonly DiffFile[]> {
  const [command = "", ...rest] = words;
  const args = [command, ...diffOptions(repository), "--raw", "--numstat", "-z", ...rest];
  const output = await outputOfGit(repository, [...args, ...pathspecs(repository, paths)], options);
  return parseNumbers(output.toString(), repository.prefix);
}

/** Parses records with the status of each file, then records with its numbers. A renamed file has two names in each. */
function parseNumbers(output: string, prefix: string): readonly DiffFile[] {
  const files = new Map<string, DiffFile>();
  const fields = output.split("\0");
  let at = 0;
  const next = () => prefix + (fields[at++] ?? "");
  while (at < fields.length) {
    const field = fields[at++]!.replace(/^\n/, "");
    const [, modes = "", letter] = /^:+((?:[0-7]+ )+)(?:[0-9a-f.]+ )+([A-Z])/.exec(field) ?? [];
    const [, additions, deletions, name] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(field) ?? [];
    if (letter !== undefined) {
      const from = letter === "R" || letter === "C" ? next() : undefined;
      const path = next();
      if (files.get(path)?.status === "unmerged") continue;
      files.set(path, {
        path,
        status: statuses[letter] ?? (new Set(modes.trim().split(" ")).size > 1 ? "mode changed" : "modified"),
        from,
        additions: 0,
        deletions: 0,
        isBinary: false,
        patch: "",
        isCut: false,
      });
    } else if (name !== undefined) {
      if (name === "") next();
      const path = name === "" ? next() : prefix + name;
      const file = files.get(path);
      if (file === undefined) continue;
      const isBinary = additions === "-";
      const isContent = isBinary || additions !== "0" || deletions !== "0";
      files.set(path, {
        ...file,
        isBinary,
        additions: isBinary ? 0 : Number(additions),
        deletions: isBinary ? 0 : Number(deletions),
        status: isContent && file.status === "mode changed" ? "modified" : file.status,
      });
    }
  }
  // The others differ only in their time.
  return [...files.values()].filter(
    ({ status, additions, deletions, isBinary }) =>
      status !== "modified" || isBinary || additions > 0 || deletions > 0,
  );
}

const statuses: Readonly<Record<string, DiffStatus>> = {
  A: "added",
  D: "deleted",
  R: "renamed",
  C: "copied",
  U: "unmerged",
};
