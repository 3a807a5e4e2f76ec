import type { ToolRisk } from "../../../contract/access.ts";
import { type Word, wordAt } from "../analysis.ts";
import type { CommandReport } from "../command-report.ts";
import { each, here, interpretOptions } from "./rows.ts";
import { joined, runPlainScript, runWords } from "./run-inner.ts";

/** Options that write, run or connect in any git command, even when abbreviated. */
const risky =
  "* --output=write --output-directory=write --ext-diff!run --textconv!run --filters!run --open-files-in-pager!run --upload-pack=run --receive-pack=run --exec=command --exec-path=run --upload-archive=run --extcmd=command --tool=run --gpg-sign!run --local-user=run --strategy=run --config=run --template=run --edit!run --edit-description!run --show-signature!run --interactive!run --patch!run --no-index --untracked --contents=read --pathspec-from-file=read --ignore-revs-file=read --add-file=read --exclude-from=read --file=read";
const showing = risky.replace(" --patch!run", "").replace(" --textconv!run", "");

/** The options of subcommands with a message, which may be any text. */
const withMessage = `${risky} m=text F=read --message=text --file=read --author=text --date=text`;
const actingOptions: Readonly<Record<string, string>> = {
  archive: `${risky} o=write --remote=network`,
  "checkout-index": `${risky} --prefix=write`,
  clone: `${risky} c=run u=run`,
  commit: withMessage,
  difftool: `${risky} x=command`,
  merge: withMessage,
  rebase: `${risky} x=command`,
};

/** Subcommands that only read, with the options to watch for. */
const looking: Readonly<Record<string, string>> = {
  ...each(
    "cat-file check-attr check-ignore check-ref-format count-objects describe for-each-ref ls-files ls-tree merge-base name-rev rev-list rev-parse show-branch show-ref status var version",
    risky,
  ),
  ...each(
    "annotate blame cherry diff diff-files diff-index diff-tree log shortlog show whatchanged",
    // The value of `-L` ends with the name of a file.
    `${showing} L=text`,
  ),
  fsck: `${risky} --lost-found!write`,
  grep: `${showing} O!run f=read e=text`,
};

const acting: Readonly<Record<string, readonly [ToolRisk, string]>> = {
  add: ["write", "changes the index"],
  am: ["execute", "commits, which runs hooks"],
  apply: ["write", "changes files"],
  archive: ["write", "writes an archive"],
  checkout: ["destructive", "overwrites files and runs hooks"],
  "checkout-index": ["destructive", "overwrites files"],
  "cherry-pick": ["execute", "commits, which runs hooks"],
  clean: ["destructive", "deletes files"],
  clone: ["network", "fetches a repository"],
  commit: ["execute", "runs hooks"],
  difftool: ["execute", "runs a program"],
  fetch: ["network", "fetches"],
  "filter-branch": ["destructive", "rewrites history"],
  gc: ["destructive", "deletes unreachable objects"],
  init: ["write", "makes a repository"],
  "ls-remote": ["network", "asks another machine"],
  merge: ["execute", "runs hooks"],
  mergetool: ["execute", "runs a program"],
  mv: ["write", "moves files"],
  prune: ["destructive", "deletes unreachable objects"],
  pull: ["network", "fetches and merges"],
  push: ["network", "publishes"],
  rebase: ["destructive", "rewrites history and runs hooks"],
  reset: ["destructive", "discards changes"],
  restore: ["destructive", "overwrites files"],
  revert: ["execute", "commits, which runs hooks"],
  rm: ["destructive", "deletes files"],
  switch: ["destructive", "overwrites files and runs hooks"],
  "verify-commit": ["execute", "runs a program for signatures"],
  "update-ref": ["destructive", "moves references"],
};

/** Subcommands that only read in some forms: the words of these forms, and the effect of all other forms. */
const mixed: Readonly<Record<string, readonly [RegExp, ToolRisk, string]>> = {
  bisect: [/^(?:log|view)$/, "execute", "checks out and runs"],
  branch: [listsOnly("avrqi"), "write", "makes, moves or deletes branches"],
  config: [
    /^(?:(?:--(?:local|global|system|show-origin|show-scope|name-only) )*(?:-l|--list|list|--get(?:-all|-regexp)? \S+|get \S+|[a-z][\w-]*\.[\w.-]+))$/i,
    "execute",
    "changes settings, which can name programs",
  ],
  notes: [/^(?:|list.*|show.*)$/, "write", "changes notes"],
  reflog: [/^(?:|show.*|HEAD.*|-\d+.*)$/, "write", "deletes restorable commits"],
  remote: [/^(?:|-v|--verbose|get-url \S+)$/, "network", "changes or asks other repositories"],
  stash: [/^(?:list.*|show.*)$/, "write", "moves changes away or deletes them"],
  submodule: [/^(?:|status.*|summary.*)$/, "execute", "runs commands or fetches"],
  tag: [listsOnly("in\\d"), "write", "makes or deletes tags"],
  worktree: [/^list.*$/, "execute", "makes or deletes work trees"],
};

/** Interprets git by subcommand. Settings given with `-c` can name programs, so only a few are accepted. */
export function interpretGit(words: readonly Word[], report: CommandReport) {
  const list =
    "C=read c=text --namespace=text --super-prefix=text --attr-source=text --git-dir=text --work-tree=text --config-env=text P v --no-pager --no-optional-locks --literal-pathspecs --no-replace-objects --glob-pathspecs --icase-pathspecs --version --html-path --man-path --info-path";
  const { options, operands } = interpretOptions(list, words, report, "first");
  for (const { name, value, word } of options)
    if (name === "-c" && !plainSetting.test(value?.value ?? ""))
      report.has("execute", `git -c ${value?.text} may name a program`, word);
    else if (/^--(?:git-dir|work-tree|config-env)$/.test(name))
      report.has("execute", `git ${word.text} is not known to be harmless`, word);
  const [subcommand, ...rest] = operands;
  if (subcommand === undefined) return;
  // Any directory can look like a repository, and its settings can name programs.
  const { shell, reading } = report.scope;
  const reason = "git obeys the settings of a repository in another directory";
  for (const { name, value, word } of options)
    if (name === "-C" && value?.value !== "." && (value?.value ?? "") !== reading.start)
      report.has("execute", reason, value ?? word);
  // The span is empty, because no word of the command names the repository.
  const { start } = subcommand.span;
  if (shell.directory !== "") report.effects.push({ risk: "execute", reason, span: { start, end: start } });
  const alias = options.findLast(({ name, value }) => name === "-c" && isAlias(value, subcommand));
  if (alias?.value !== undefined) runAlias(alias.value, rest, report);
  interpretSubcommand(subcommand, rest, report);
}

function isAlias(setting: Word | undefined, { value }: Word): boolean {
  const [name] = setting?.value?.split("=") ?? [];
  return value !== undefined && name?.toLowerCase() === `alias.${value.toLowerCase()}`;
}

/** Analyses an alias: `git -c alias.x=push x` runs `git push`, and an alias with "!" is a command of the shell. */
function runAlias(setting: Word, rest: readonly Word[], report: CommandReport) {
  const text = setting.value!.slice(setting.value!.indexOf("=") + 1);
  const isShell = text.startsWith("!");
  const script = joined([wordAt(setting, [isShell ? text.slice(1) : `git ${text}`]), ...rest]);
  if (script !== undefined) runPlainScript(script, "git alias", report);
}

function interpretSubcommand(subcommand: Word, words: readonly Word[], report: CommandReport) {
  const name = subcommand.value;
  if (name === undefined)
    return report.has("execute", "a git command that is known only at run time", subcommand);
  const [lookingOptions, act, mix] = [own(looking, name), own(acting, name), own(mixed, name)];
  if (lookingOptions !== undefined) {
    const { operands, options } = interpretOptions(lookingOptions, words, report);
    const files = options.flatMap(({ name: option, value }) => (option === "-L" && value ? [value] : []));
    for (const file of [...operands, ...files]) readAt(file, report);
    // These options also read files outside the repository.
    if (options.some(({ name: option }) => /^--(?:no-index|untracked)$/.test(option)))
      readUntracked(name, operands, report);
    return;
  }
  if (act !== undefined) {
    const { operands } = interpretOptions(own(actingOptions, name) ?? risky, words, report);
    own(pathsOf, name)?.(operands, report);
    if (
      name === "push" &&
      words.some(({ value }) => /^(?:-[^-]*[fd]|--(?:force|delete|mirror|prune)|\+|:)/.test(value ?? "-f"))
    )
      report.has("destructive", "git push overwrites or deletes commits of others", subcommand);
    return report.has(act[0], `git ${name} ${act[1]}`, subcommand);
  }
  if (mix === undefined)
    return report.has("execute", `git ${name} may run anything, such as an alias`, subcommand);
  const { operands } = interpretOptions(`${risky} F=read`, words, report);
  if (name === "worktree") overwrites(operands.slice(1, 2), report);
  if (name === "bisect" && words[0]?.value === "run") runWords(words.slice(1), "git bisect run", report);
  const script = name === "submodule" && words[0]?.value === "foreach" ? joined(words.slice(1)) : undefined;
  if (script !== undefined) runPlainScript(script, "git submodule foreach", report);
  const known = words.every(({ value }) => value !== undefined);
  const looks = known && mix[0].test(words.map(({ value }) => value).join(" "));
  if (looks) return;
  if (name === "config") writeSettings(subcommand, words, report);
  const harsh = !known || words.some(({ value }) => harshWords.test(value ?? ""));
  report.has(harsh ? "destructive" : mix[1], `git ${name} ${mix[2]}`, subcommand);
}

type OperandsRule = (operands: readonly Word[], report: CommandReport) => void;

const overwrites: OperandsRule = (operands, { accesses }) =>
  accesses.push(...operands.map((target) => ({ kind: "write", target }) as const));
const remove: OperandsRule = (operands, { accesses }) =>
  accesses.push(...operands.map((target) => ({ kind: "delete", target }) as const));
const readAll: OperandsRule = (operands, report) => {
  for (const file of operands) report.reads(file);
};

const pathsOf: Readonly<Record<string, OperandsRule>> = {
  ...each("add am apply", readAll),
  ...each("checkout checkout-index init restore", overwrites),
  ...each("clean rm", remove),
  archive: (operands, report) => {
    for (const file of operands) readAt(file, report);
  },
  clone: (operands, report) => overwrites(operands.slice(1), report),
  mv: (operands, report) => {
    remove(operands.slice(0, -1), report);
    overwrites(operands.slice(-1), report);
  },
};

function writeSettings(subcommand: Word, words: readonly Word[], report: CommandReport): void {
  const values = words.map(({ value }) => value ?? "--file");
  const file = words[values.findIndex((value) => /^(?:-f|--file)$/.test(value)) + 1];
  const isGlobal = values.some((value) => /^--(?:global|system)$/.test(value));
  const home = { unknown: "home", text: "~", splits: false } as const;
  const usual = wordAt(subcommand, isGlobal ? [home, "/.gitconfig"] : [".git/config"]);
  const isNamed = values.some((value) => /^(?:-f|--file)/.test(value));
  overwrites([isNamed && file !== undefined ? file : usual], report);
}

/** Reports files outside the repository. For grep these are all files of the directory, because it may have no path. */
function readUntracked(name: string, operands: readonly Word[], report: CommandReport): void {
  if (name === "grep" || operands.length === 0) report.readsBelow(here(report));
  else for (const file of operands) report.readsBelow(file);
}

/** Reports the file that `HEAD:file`, `:file` or `:(magic)file` names after the colon. */
function readAt(word: Word, report: CommandReport): void {
  const file = word.value?.split(/[:)]/).at(-1);
  if (file !== word.value || word.value === undefined) report.reads(word);
  if (file !== undefined) report.reads(wordAt(word, patternParts(file)));
}

/** Marks the patterns in a word as unknown, because git expands them even in quoted words. */
function patternParts(file: string): Word["parts"] {
  const pieces = file.split(/([*?]+|\[[^\]]*\])/);
  return pieces.map((text, at) => (at % 2 === 0 ? text : { unknown: "glob", text, splits: false }));
}

/** Matches the words that only list. Operands are accepted only after options that search for them. */
function listsOnly(letters: string): RegExp {
  const looking = `-[${letters}]+|--(?:all|remotes|verbose|show-current|ignore-case|column|no-column|sort[= ]\\S+|format=\\S+|color)`;
  const naming = "-l|--list|--contains|--no-contains|--merged|--no-merged|--points-at";
  return new RegExp(
    `^(?:(?:${looking})(?: |$))*(?:(?:${naming})(?:=\\S+)?(?: (?:${looking}|${naming}|[^- ]\\S*))*)?$`,
  );
}

const harshWords =
  /^(?:-[^-]*[dDmMfC][^-]*|--(?:delete|force|move|expire.*)|drop|clear|pop|remove|prune|expire|delete|deinit)$/;

function own<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

const plainSetting =
  /^(?:color\.[\w.]+|core\.(?:quotepath|abbrev|autocrlf)|user\.(?:name|email)|advice\.\w+|log\.\w+|diff\.(?:renames|context|algorithm)|core\.pager=(?:cat)?$)(?:=|$)/i;
