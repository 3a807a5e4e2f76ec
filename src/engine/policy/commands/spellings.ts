/**
 * Other spellings of the same command, for rules that ask or deny: `npm i`, `npx`, `pip3`, `python -m pip`. Tables are per
 * program, because the same word means something else to another program. Misspelt and abbreviated words are not listed.
 */

/** Returns the name that rules compare, from a folded base name: `pip3.12` is `pip`. */
export function programName(name: string): string {
  const [, family] = versioned.exec(name) ?? [];
  return family ?? sameProgram.get(name) ?? name;
}

const versioned = /^(pip|pypy|python|ruby|gem|php|composer)-?\d+(?:\.\d+)*$/;
const sameProgram: ReadonlyMap<string, string> = new Map(
  Object.entries({ nodejs: "node", pypy: "python", yarnpkg: "yarn" }),
);

/** Returns the program and also the one that it stands for: `npx` is `npm exec`. */
export function programNames(name: string): readonly string[] {
  const program = programName(name);
  const [other] = shorthands.get(program) ?? [];
  return other === undefined ? [program] : [program, other];
}

const shorthands: ReadonlyMap<string, readonly string[]> = new Map([
  ["bunx", ["bun", "x"]],
  ["docker-compose", ["docker", "compose"]],
  ["npx", ["npm", "exec"]],
  ["pnpx", ["pnpm", "dlx"]],
]);

/** The functions that read and make words of commands or rules. */
export interface Spelling<Word> {
  /** Returns undefined when only the shell knows the text, or it has wildcards. */
  textOf(word: Word): string | undefined;
  make(text: string, at: Word): Word;
}

/** Returns the usual form of a command that can be written with other words. `program` is its `programName`. */
export function usualForm<Word>(
  program: string,
  words: readonly Word[],
  { textOf, make }: Spelling<Word>,
): readonly Word[] | undefined {
  const [first, ...rest] = words;
  if (first === undefined) return undefined;
  const shorthand = shorthands.get(program);
  if (shorthand !== undefined) return [...shorthand.map((text) => make(text, first)), ...rest];
  if (program === "yarn" && rest.every((word) => textOf(word)?.startsWith("-")))
    return [first, make("install", first), ...rest];
  return program === "python" ? moduleForm(rest, { textOf, make }) : undefined;
}

/** Rewrites `python -m pip install` as `pip install`. */
function moduleForm<Word>(
  words: readonly Word[],
  { textOf, make }: Spelling<Word>,
): readonly Word[] | undefined {
  const at = words.findIndex((word) => moduleOption.test(textOf(word) ?? ""));
  const option = words[at];
  if (option === undefined) return undefined;
  const [, attached] = moduleOption.exec(textOf(option)!)!;
  if (attached) return [make(attached, option), ...words.slice(at + 1)];
  return at + 1 < words.length ? words.slice(at + 1) : undefined;
}

/** Matches `-m pip`, `-mpip` and `-Im pip`. */
const moduleOption = /^-[bBdEhiIOPqsSuvVx]*m(.*)$/s;

/** Returns the usual name of a subcommand, or its own. */
export function meaningOf(program: string, subcommand: string): string {
  const known = Object.hasOwn(aliases, program) ? aliases[program]! : {};
  return Object.hasOwn(known, subcommand) ? known[subcommand]! : subcommand;
}

/** Each program's short subcommands. */
const aliases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bun: { a: "add", i: "install", rm: "remove" },
  cargo: { b: "build", c: "check", r: "run", rm: "remove", t: "test" },
  git: { stage: "add" },
  npm: {
    ...{ add: "install", i: "install", in: "install", ic: "ci", "clean-install": "ci" },
    ...{ "run-script": "run", t: "test", x: "exec", it: "install", "install-test": "install" },
    ...{ r: "uninstall", remove: "uninstall", rm: "uninstall", un: "uninstall", unlink: "uninstall" },
    ...{ up: "update", upgrade: "update", list: "ls", ln: "link" },
  },
  pnpm: {
    i: "install",
    "run-script": "run",
    t: "test",
    un: "remove",
    rm: "remove",
    uninstall: "remove",
    up: "update",
  },
};

/** git's own subcommands. Any other word may be an alias of the user, which can stand for each of them. */
export const gitCommands: ReadonlySet<string> = new Set(
  "add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config count-objects credential describe diff diff-files diff-index diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep hash-object help index-pack init init-db interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes pack-objects pack-refs patch-id prune prune-packed pull push range-diff read-tree rebase receive-pack reflog remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm send-pack shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule switch symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info upload-archive upload-pack var verify-commit verify-pack verify-tag version whatchanged worktree write-tree".split(
    " ",
  ),
);

/** Returns the index of git's subcommand among words that begin with `git`; undefined without one. */
export function gitSubcommandAt(values: readonly (string | undefined)[]): number | undefined {
  for (let index = 1; index < values.length; index += 1) {
    const value = values[index];
    if (value === undefined || !value.startsWith("-")) return index;
    if (takesValue.test(value)) index += 1;
  }
  return undefined;
}

const takesValue = /^(?:-[cC]|--(?:git-dir|work-tree|namespace|super-prefix|config-env|attr-source))$/;
