import { ToolError } from "../contract/error.ts";
import { nameOf } from "./diff/parse-diff.ts";
import { fixedDiffOptions, outputOfGit, type Repository } from "./run-git.ts";

export interface Commit {
  readonly hash: string;
  readonly parents: readonly string[];
  readonly author: { readonly name: string; readonly email: string };
  /** ISO 8601, with the zone of the author. */
  readonly date: string;
  /** Branches and tags at this commit: "HEAD -> main", "tag: v1.0", "origin/main". */
  readonly refs: readonly string[];
  readonly subject: string;
  readonly body: string;
  /** The changes against its first parent, if requested. */
  readonly files?: readonly CommitFile[];
}

interface CommitFile {
  readonly path: string;
  readonly additions: number | undefined;
  readonly deletions: number | undefined;
}

interface LogWanted {
  readonly revision: string;
  readonly limit: number;
  /** Options that select commits, each with its value in the same argument. */
  readonly selecting?: readonly string[];
  readonly pathspecs?: readonly string[];
  readonly files?: boolean;
}

/** Reads commits, newest first. */
export async function readLog(
  { revision, limit, selecting = [], pathspecs = [], files = false }: LogWanted,
  repository: Repository,
): Promise<readonly Commit[]> {
  const printed = await outputOfGit(repository, [
    "log",
    ...fixedDiffOptions,
    `--max-count=${limit}`,
    "--no-show-signature",
    "--no-notes",
    "--decorate=short",
    `--format=${format}`,
    ...(files ? numbers(repository) : ["--no-patch"]),
    ...selecting,
    revision,
    // Without "--", git refuses a revision that is also the name of a file.
    ...(pathspecs.length === 0 ? ["--"] : pathspecs),
  ]);
  return parseLog(printed.toString(), repository.prefix, files);
}

/** Returns the options for counting lines. A rename counts as two files: its two names could not be separated. */
function numbers({ below }: Repository): readonly string[] {
  const relative = below === "" ? "--no-relative" : "--relative";
  return ["--numstat", "--no-renames", "--diff-merges=first-parent", relative];
}

/** No field can contain a NUL: git ends messages there. */
const fields = ["%H", "%P", "%an", "%ae", "%aI", "%D", "%s", "%b"];
const format = `%x00${fields.join("%x00")}%x00`;

function parseLog(output: string, prefix: string, withFiles: boolean): readonly Commit[] {
  const parts = output.split("\0");
  const commits: Commit[] = [];
  // The numbers of a commit come after its fields, before those of the next one.
  for (let at = 1; at + fields.length < parts.length; at += fields.length + 1) {
    const [hash = "", parents = "", name = "", email = "", date = "", refs = "", subject = "", body = ""] =
      parts.slice(at, at + fields.length);
    commits.push({
      hash,
      parents: parents.split(" ").filter(Boolean),
      author: { name, email },
      date,
      refs: refs.split(", ").filter(Boolean),
      subject,
      body: body.trimEnd(),
      files: withFiles ? parseNumbers(parts[at + fields.length]!, prefix) : undefined,
    });
  }
  return commits;
}

function parseNumbers(text: string, prefix: string): readonly CommitFile[] {
  return text.split("\n").flatMap((line) => {
    const [, additions, deletions, path] = /^(\d+|-)\t(\d+|-)\t(.+)$/.exec(line) ?? [];
    if (path === undefined) return [];
    const count = (number = "-") => (number === "-" ? undefined : Number(number));
    return [{ path: prefix + nameOf(path), additions: count(additions), deletions: count(deletions) }];
  });
}

/**
 * Converts a date to a form that git cannot misread. Git rejects nothing and drops unknown words: "2 wekes ago" is the
 * second of the month, and a day without a time gets the current time.
 */
export function momentOf(text: string, edge: "since" | "until"): string {
  const plain = text.trim().toLowerCase();
  const moment = secondsOf(plain) ?? dayOf(plain, edge) ?? inWords(plain);
  if (moment !== undefined) return moment;
  throw new ToolError("invalid-input", `Unrecognized date: ${JSON.stringify(text.slice(0, 100))}`, {
    hint: 'Use a form such as "2026-03-01", "2026-03-01T10:00:00Z", "yesterday", "last monday", "3 hours ago" or "2 weeks ago".',
  });
}

function secondsOf(text: string): string | undefined {
  return /^@?\d{9,12}$/.test(text) ? text : undefined;
}

/** Reads "2026-03-01", perhaps with a time. Default: the start of the day, or its end for `until`. */
function dayOf(text: string, edge: "since" | "until"): string | undefined {
  const [, year, month, day, time, zone = ""] = isoDate.exec(text) ?? [];
  if (year === undefined) return undefined;
  // JavaScript takes the 30th of February for a day in March.
  if (new Date(Date.UTC(+year, +month! - 1, +day!)).getUTCDate() !== +day! || +month! > 12) return undefined;
  const clock = time ?? (edge === "since" ? "00:00:00" : "23:59:59");
  const seconds = Date.parse(`${year}-${month}-${day}T${clock}${zone.toUpperCase()}`) / 1000;
  // Git reads smaller numbers differently, and no commit is as old.
  return Number.isNaN(seconds) ? undefined : `@${Math.max(Math.floor(seconds), 100_000_000)}`;
}

const isoDate =
  /^(\d{4})[-/.](\d\d)[-/.](\d\d)(?:[t ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(z|[+-]\d\d:?\d\d)?)?$/;

/** Reads "2 weeks ago", "last monday", "march 3 2026", "yesterday 5pm", if git knows every word. */
function inWords(text: string): string | undefined {
  if (/\d\.\d/.test(text)) return undefined;
  const words = text.split(/[\s.,]+/).filter((word) => word !== "");
  const known = words.filter((word) => knownWord.test(word));
  const isClear = known.length > 0 && words.every((word) => knownWord.test(word) || number.test(word));
  return isClear ? words.map((word) => synonyms[word] ?? word).join(" ") : undefined;
}

const number = /^\d{1,4}(?:st|nd|rd|th)?$|^\d\d?:\d\d(?::\d\d)?$|^[+-]\d{4}$/;
const knownWord = new RegExp(
  `^(?:${[
    "(?:second|minute|hour|day|week|month|year)s?|ago|last|an?",
    "one|two|three|four|five|six|seven|eight|nine|ten",
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?",
    "mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?",
    "now|today|yesterday|midnight|noon|tea|utc|gmt|\\d\\d?(?:am|pm)|am|pm",
  ].join("|")})$`,
);

const synonyms: Readonly<Record<string, string>> = { a: "1", an: "1", today: "midnight" };
