import { posix } from "node:path";
import { type SimpleCommand, type Word, wordAt } from "./command.ts";
import { settingsFileChangedBy } from "./git-config.ts";
import { programName } from "./spellings.ts";

/** A path that a word or redirection of a command names, as far as it is known. */
export interface NamedPath {
  readonly kind: "read" | "write" | "delete";
  readonly word: Word;
  /** Absolute, or relative to the workspace. */
  readonly path: string;
  /** Whether only the name and attributes of the entry are used. */
  readonly namesOnly?: true;
  /** Whether a deleted entry is at another path afterwards. */
  readonly isMoved?: true;
  /** Whether a program that is not listed got it, and may use it in any way. */
  readonly isMentioned?: true;
}

type Use = Omit<NamedPath, "path">;

/** Finds the files that the words of a command name. The view of a command decides about all other files. */
export function pathsNamedBy(command: SimpleCommand, home: string): readonly NamedPath[] {
  const uses = [
    ...command.redirections.flatMap(({ kind, target }): Use[] =>
      (kind === "read" || kind === "write") && !isShellNetwork.test(target.start)
        ? [{ kind, word: target }]
        : [],
    ),
    ...(command.isElsewhere || command.words.length === 0 ? [] : usesOf(command)),
  ];
  const seen = new Set<string>();
  return uses.flatMap((use) => {
    const path = pathOf(use, command.directory, home);
    const { kind, namesOnly, isMentioned } = use;
    const key = `${kind} ${namesOnly} ${isMentioned} ${path}`;
    if (path === undefined || seen.has(key)) return [];
    seen.add(key);
    return [{ ...use, path }];
  });
}

export const isShellNetwork: RegExp = /^\/dev\/(?:tcp|udp)\//;

/** Returns the path of a word. Of a word with a pattern or variable, it is any entry of the folder that it begins with. */
function pathOf({ word, kind }: Use, directory: string | undefined, home: string): string | undefined {
  const { value, start, text } = word;
  if (value !== undefined) return resolve(word, value, directory, home);
  const folder = start.slice(0, start.lastIndexOf("/") + 1);
  const isAll = /^\.?\*+$/.test(text.slice(text.lastIndexOf("/") + 1));
  if (kind === "delete" && isAll && (folder !== "" || text === "*"))
    return resolve(word, folder === "" ? "." : folder, directory, home);
  const path = folder === "" ? undefined : resolve(word, folder, directory, home);
  return path === undefined ? undefined : `${path}*`;
}

function resolve(
  { isInHome }: Word,
  value: string,
  directory: string | undefined,
  home: string,
): string | undefined {
  if (value === "" || value.length > longest) return undefined;
  if (isInHome && value.startsWith("~")) return `${home}${value.slice(1)}`;
  if (value.startsWith("/") || directory === undefined || directory === "") return value;
  const from = directory.startsWith("~") ? `${home}${directory.slice(1)}` : directory;
  return from.length > longest ? undefined : `${from}/${value}`;
}

/** The length of the longest path that a system accepts. */
const longest = 4096;

function usesOf(command: SimpleCommand): readonly Use[] {
  const { program, words } = command;
  const [first, ...rest] = words;
  if (program === undefined) {
    const isFile = first!.value?.includes("/") === true;
    return [...(isFile ? [{ kind: "read", word: first! } as const] : []), ...mentioned(rest)];
  }
  const name = programName(program);
  const use = Object.hasOwn(uses, name) ? uses[name]! : mentioned;
  return use(rest);
}

type UsesOf = (words: readonly Word[]) => readonly Use[];

const none: UsesOf = () => [];
const reads: UsesOf = (words) => operands(words).map((word) => ({ kind: "read", word }));
/** Their separators may look like paths. */
const separates: UsesOf = (words) => reads(operands(words, /^-[dst]$/));
const looks: UsesOf = (words) => operands(words).map((word) => ({ kind: "read", word, namesOnly: true }));
const writes: UsesOf = (words) => operands(words).map((word) => ({ kind: "write", word }));
const deletes: UsesOf = (words) => operands(words).map((word) => ({ kind: "delete", word }));

/** For programs whose first operand is a pattern or a program text, unless an option gives it. */
function searches(takesValue?: RegExp): UsesOf {
  return (words) => {
    const given = /^(?:-[a-zA-Z]*[ef]|--(?:regexp|expression|file|files)\b.*)$/;
    const isGiven = words.some(({ value }) => given.test(value ?? ""));
    const found = operands(words, takesValue).slice(isGiven ? 0 : 1);
    return found.map((word) => ({ kind: "read", word }));
  };
}

const patterns = /^(?:-[a-zA-Z]*[egtT]|--(?:glob|include|exclude|exclude-dir|regexp|type))$/;
const variables = /^-[Fv]$/;

/** sed changes its files with `-i`. */
const edits: UsesOf = (words) => {
  const isInPlace = words.some(({ value }) => /^-[^-]*i|^--in-place/.test(value ?? ""));
  return searches(/^-e$/)(words).map((use) => (isInPlace ? { ...use, kind: "write" } : use));
};

/** Reads all operands but the last, which it writes. `-t` names the folder to write. */
function copies(source: Pick<Use, "kind" | "isMoved" | "namesOnly">): UsesOf {
  return (words) => {
    const at = words.findIndex(({ value }) => value === "-t" || value === "--target-directory");
    const found = operands(words).filter(({ value }) => !/^[^/]*:/.test(value ?? ""));
    const target = at >= 0 ? words[at + 1] : found.at(-1);
    if (found.length < 2 && at < 0) return found.map((word) => ({ ...source, word }));
    return [
      ...found.filter((word) => word !== target).map((word) => ({ ...source, word })),
      ...(target === undefined ? [] : [{ kind: "write", word: target } as const]),
    ];
  };
}

/** The first operand is a mode or an owner. */
const changes: UsesOf = (words) => writes(operands(words).slice(1));

/** Looks below the folders before the first test. `-delete` without a test removes them. */
const finds: UsesOf = (words) => {
  const from = words.findIndex(({ start }) => /^[-(!]/.test(start) && !/^-[LPH]$/.test(start));
  const folders = words.slice(0, from < 0 ? undefined : from);
  const tests = words.some(({ value }) =>
    /^-(?:i?(?:name|path|regex)|size|[acm](?:time|min)|newer)/.test(value ?? ""),
  );
  const removes = words.some(({ value }) => value === "-delete") && !tests;
  return removes ? deletes(folders) : looks(folders);
};

/** Names of other files than those of the call: `HEAD:.env`, and the settings that `git config` changes. */
const ofGit: UsesOf = (words) => {
  const values = words.map(({ value }) => value ?? "");
  const found = mentioned(
    words.filter((_word, at) => !/^(?:-m|--message|-c|-S|-G)$/.test(values[at - 1] ?? "")),
  ).map((use): Use => {
    const [, path] = /^[\w./^~@-]+:([^/:].*)$/.exec(use.word.value ?? "") ?? [];
    return path === undefined ? use : { ...use, word: wordAt(use.word, path) };
  });
  const at = values.indexOf("config");
  const changed = at < 0 ? undefined : settingsFileChangedBy(words.slice(at + 1));
  return changed === undefined ? found : [...found, { kind: "write", word: wordAt(words[at]!, changed) }];
};

/** Leaves out the code of an interpreter. */
const interprets: UsesOf = (words) =>
  mentioned(
    words.filter((_word, at) => !/^-[a-zA-Z]*[ecrp]$|^--(?:eval|print)$/.test(words[at - 1]?.value ?? "")),
  );

const ofShell: UsesOf = (words) =>
  words.some(({ value }) => /^-[a-zA-Z]*c/.test(value ?? "")) ? [] : mentioned(words);

const uses: Readonly<Record<string, UsesOf>> = {
  ...each(
    ": [[ basename break builtin caller command continue date dirname doas echo env eval exec exit expr export false id jobs",
    none,
  ),
  ...each(
    "kill nice nohup printf ps return seq set setsid shift sleep stdbuf sudo time timeout trap true type",
    none,
  ),
  ...each("tr uname unset wait watch which xargs", none),
  ...each("awk gawk mawk", searches(variables)),
  ...each("[ cd df du file ls popd pushd readlink realpath stat test tree", looks),
  ...each(
    "base64 cat cksum cmp comm diff expand fold head hexdump less md5sum more nl od rev sha1sum sha256sum strings tac",
    reads,
  ),
  ...each("tail uniq wc xxd", reads),
  ...each("column cut join paste sort", separates),
  ...each("ack ag egrep fd fdfind fgrep grep jq rg yq", searches(patterns)),
  ...each("mkdir mkfifo mktemp tee touch truncate", writes),
  ...each("rm rmdir shred unlink", deletes),
  ...each("chgrp chmod chown", changes),
  ...each("cp install rsync scp", copies({ kind: "read" })),
  ...each("bun deno lua node perl php python ruby", interprets),
  ...each("ash bash dash ksh sh zsh", ofShell),
  find: finds,
  git: ofGit,
  // A link may lead anywhere; what is behind it, the view decides.
  ln: (words) => copies({ kind: "read" })(words).filter(({ kind }) => kind === "write"),
  mv: copies({ kind: "delete", isMoved: true }),
  sed: edits,
};

function each(names: string, use: UsesOf): Record<string, UsesOf> {
  return Object.fromEntries(names.split(" ").map((name) => [name, use]));
}

/** Returns the words that are not options, nor values of some options. */
function operands(words: readonly Word[], takesValue?: RegExp): readonly Word[] {
  const end = words.findIndex(({ value }) => value === "--");
  return words.filter(({ start, value }, at) => {
    if (end >= 0 && at > end) return true;
    if (/^-./.test(start) || value === "-" || value === "]") return false;
    return takesValue === undefined || !takesValue.test(words[at - 1]?.value ?? "");
  });
}

/** Finds the words that look like paths, of a program that may use them in any way. `--file=x`, `x=y` and `@x` name one. */
function mentioned(words: readonly Word[]): readonly Use[] {
  return words.flatMap((word, at): Use[] => {
    const option = words[at - 1]?.value ?? "";
    if (namesOutput.test(option) && !word.start.startsWith("-") && !word.start.includes("://"))
      return [{ kind: "write", word }];
    if (word.value === undefined)
      return /^[-@]|=/.test(word.start) ? [] : [{ kind: "read", word, isMentioned: true }];
    const { value } = word;
    const given = value
      .replace(/^--?[\w-]+=|^[\w.-]+=(?=[./~])|^[\w.-]+=@/, "")
      .replace(/^@/, "")
      .replace(/^file:(?:\/\/)?/i, "");
    if (given === "" || given.startsWith("-") || given.includes("\n") || given.includes("://")) return [];
    // Patterns and program texts begin like paths, too.
    const looksLikeOne = /\s/.test(given) ? /^(?:~|\.{1,2})?\/[^'"(){};|&<>$]*$/ : /^[^'"(){};|&<>$]+$/;
    if (!looksLikeOne.test(given)) return [];
    const isPlain = given === value;
    return [
      { kind: "read", word: isPlain ? word : { ...wordAt(word, given), text: word.text }, isMentioned: true },
    ];
  });
}

/** Options whose next word is the file to write, in nearly all programs that have them. */
const namesOutput = /^(?:-o|-O|--out(?:put)?(?:-(?:dir|document|file))?)$/;

/** Returns the folder in which a command starts, as the analysis has it: "" for the workspace itself. */
export function startOf(cwd: string, workspace: string): string {
  // A path with ".." may lead through links.
  if (cwd.split("/").includes("..")) return cwd;
  const path = posix.join(workspace, posix.relative(workspace, posix.resolve(workspace, cwd)));
  if (path === workspace) return "";
  return path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : posix.normalize(cwd);
}
