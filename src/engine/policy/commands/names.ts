import type { ToolRisk } from "../../../contract/access.ts";
import { gitLossOf } from "../what-still-asks.ts";
import type { SimpleCommand, Word } from "./command.ts";
import { gitSubcommandAt, programName } from "./spellings.ts";

/**
 * The class of a command by the name of its program. It decides which view a command gets and when a question comes, never
 * what a command can do: a program that does more than its class fails in its view.
 */
export function riskOf(command: Pick<SimpleCommand, "program" | "words">): ToolRisk {
  const { program } = command;
  if (program === undefined) return command.words.length === 0 ? "read" : "execute";
  const name = programName(program);
  const values = command.words.slice(1).map(({ value }) => value ?? "");
  if (name === "git") return riskOfGit(command, values);
  if (name === "find" && values.includes("-delete")) return "destructive";
  if (readers.has(name)) {
    if (values.some((value) => running[name]?.test(value))) return "execute";
    return values.some((value) => writing[name]?.test(value)) ? "write" : "read";
  }
  if (looksOf[name]?.test(values.join(" "))) return "read";
  return writers.has(name) ? "write" : (others.get(name) ?? "execute");
}

function riskOfGit(command: Pick<SimpleCommand, "program" | "words">, values: readonly string[]): ToolRisk {
  const from = values.findIndex((value) => !/^(?:-P|--no-pager|--no-optional-locks)$/.test(value));
  if (from < 0) return "read";
  if (gitLossOf(command) !== undefined) return "destructive";
  const [subcommand = "", ...rest] = values.slice(from);
  if (subcommand === "push" && rest.some(overwrites)) return "destructive";
  if (gitReading.has(subcommand) || gitLooks.test([subcommand, ...rest].join(" "))) return "read";
  if (/^(?:clone|fetch|ls-remote|pull|push)$/.test(subcommand)) return "network";
  if (/^(?:checkout|clean|reset|restore|rm|switch)$/.test(subcommand)) return "destructive";
  return /^(?:add|branch|mv|stash|tag)$/.test(subcommand) ? "write" : "execute";
}

/** Programs and builtins that only read. They run with a read-only workspace, so their other options need no list. */
const readers = setOf(
  "cat head tail wc nl tac rev cut tr uniq comm cmp diff sort column join paste fold expand od xxd hexdump strings",
  "grep egrep fgrep rg find fd fdfind ls tree stat file du df readlink realpath basename dirname pwd",
  "sed awk gawk mawk jq yq md5sum sha1sum sha256sum cksum base64",
  "echo printf true false test [ : cd date seq sleep id whoami uname hostname nproc uptime ps env printenv which type",
  "xargs timeout nice time stdbuf command exit wait jobs kill man free expr",
);

/** Words with which such a program writes files. */
const writing: Readonly<Record<string, RegExp>> = {
  awk: /^-i/,
  find: /^-f(?:print|ls)/,
  gawk: /^-i/,
  sed: /^-[^-]*i|^--in-place/,
  sort: /^-[^-]*[oT]|^--output/,
  tree: /^-o/,
  yq: /^-[^-]*i|^--inplace/,
};

/** Words with which a program runs another one, or does much more than without them. */
const running: Readonly<Record<string, RegExp>> = {
  date: /^(?:-s|--set)/,
  fd: /^-[xX]|^--exec/,
  find: /^-(?:delete|exec|ok)/,
  kill: /^/,
  rg: /^--pre\b/,
  sort: /^--compress/,
};

/** Forms of other programs that only read. */
const looksOf: Readonly<Record<string, RegExp>> = {
  node: /^(?:-v|--version)$/,
  python: /^(?:-V|--version)$/,
  npm: /^(?:ls|list|root|prefix|why|explain|-v|--version)(?: |$)/,
  pip: /^(?:list|show|freeze|check|-V|--version)(?: |$)/,
  crontab: /^-l$/,
  bash: /^-n /,
};

const writers = setOf("cp mv mkdir touch ln tee chmod chgrp chown install mktemp truncate");

const others: ReadonlyMap<string, ToolRisk> = new Map(
  Object.entries({
    destructive: "rm rmdir unlink shred dd",
    network: "curl wget nc ncat ssh scp sftp ftp telnet ping dig nslookup host traceroute whois",
  } as const).flatMap(([risk, names]) => names.split(" ").map((name) => [name, risk as ToolRisk] as const)),
);

const gitReading = setOf(
  "annotate blame cat-file check-attr check-ignore cherry count-objects describe diff diff-index diff-tree for-each-ref",
  "grep help log ls-files ls-tree merge-base name-rev rev-list rev-parse shortlog show show-branch show-ref status var",
  "version whatchanged",
);

const gitLooks =
  /^(?:(?:branch|tag|remote)(?: (?:-[avrl]+|--(?:all|list|verbose|remotes|show-current|merged|contains)))*|remote get-url \S+|stash (?:list|show).*|reflog(?: show.*)?|worktree list.*|submodule status|config (?:(?:--(?:get|get-all|list)|-l|get|list)(?: \S+)*|[a-z][\w-]*\.[\w.-]+)|bisect log)$/i;

function setOf(...names: readonly string[]): ReadonlySet<string> {
  return new Set(names.flatMap((line) => line.split(" ")));
}

/** Programs of the system that are not code of the workspace. */
export function isKnownProgram(program: string): boolean {
  const name = programName(program);
  return name === "git" || readers.has(name) || writers.has(name) || others.has(name);
}

/**
 * Whether a program can neither write a file nor run a program, whatever its options. Rules without a sandbox mean these
 * by `@read`.
 */
export function isHarmlessAlone({ program = "", redirections }: SimpleCommand): boolean {
  return harmlessAlone.has(program) && redirections.every(({ kind }) => kind !== "write");
}

/** Whether a program leaves all files as they are, also where no view is read-only. Redirections are separate. */
export function cannotWrite({ program = "" }: SimpleCommand): boolean {
  return harmlessAlone.has(program) || /^[ef]?grep$/.test(program);
}

const harmlessAlone = setOf(
  "cat cd head tail wc nl tac rev cut tr comm cmp ls stat readlink realpath basename dirname pwd echo printf sleep true false",
);

/** Whether a wildcard of a rule cannot stand for this word, because the command does much more with it. */
export function mustBeSpelled({ program, words }: SimpleCommand, word: Word): boolean {
  const { value } = word;
  if (program === undefined || value === undefined) return false;
  const name = programName(program);
  if (runsOthers.test(value) || running[name]?.test(value) || powerful[name]?.test(value)) return true;
  if (isOption(value, powerfulOptions[name])) return true;
  // `tar cIf PROGRAM FILE`
  if (name === "tar") return word === words[1] && /^[a-zA-Z]*[FI]/.test(value);
  if (name !== "git") return false;
  const values = words.map((given) => given.value);
  const at = gitSubcommandAt(values) ?? words.length;
  if (words.indexOf(word) < at) return /^(?:-[cC]|--(?:git-dir|work-tree|config-env|exec-path))/.test(value);
  return powerfulInGit[values[at] ?? ""]?.test(value) || (values.includes("push") && overwrites(value));
}

/** Whether `git push` overwrites or deletes commits of others with this word. */
function overwrites(value: string): boolean {
  return /^(?:-[^-]*[fd]|[+:])/.test(value) || isOption(value, overwriting);
}

const overwriting = ["force", "force-with-lease", "delete", "mirror", "prune"];

/** Whether a word is one of these long options or an abbreviation, as getopt and git accept them. */
function isOption(value: string, names: readonly string[] = []): boolean {
  const [, given] = /^--([^=]+)/.exec(value) ?? [];
  return given !== undefined && names.some((name) => name.startsWith(given));
}

const runsOthers =
  /^--(?:pre|compress-program|use-compress-program|to-command|checkpoint-action|rsh|ext-diff|upload-pack|receive-pack|open-files-in-pager|filter)\b/;

/** Long options of programs that accept abbreviations. */
const powerfulOptions: Readonly<Record<string, readonly string[]>> = {
  git: [
    ...["config", "exec", "ext-diff", "extcmd", "open-files-in-pager", "output", "output-directory"],
    ...["receive-pack", "template", "upload-pack"],
  ],
  sort: ["compress-program"],
  split: ["filter"],
  tar: [
    ...["checkpoint-action", "info-script", "new-volume-script", "rmt-command", "rsh-command", "to-command"],
    "use-compress-program",
  ],
};

/** Words of other programs with which they run one. A program of awk is a word. */
const powerful: Readonly<Record<string, RegExp>> = {
  awk: /\||system|^-i/,
  gawk: /\||system|^-i/,
  mawk: /\||system/,
  rsync: /^-[^-]*e/,
  tar: /^-[^-]*[FI]/,
};

const powerfulInGit: Readonly<Record<string, RegExp>> = {
  archive: /^-o/,
  clone: /^-[^-]*[cu]/,
  difftool: /^-[^-]*x/,
  "format-patch": /^-[^-]*o/,
  grep: /^-[^-]*O/,
};
