/**
 * Other spellings of the same command, for rules that ask or deny: `npm i`, `pip3`, `python -m pip`, `docker container
 * run`. Tables are per program, because the same word means something else to another program.
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
  if (program === "python") return moduleForm(rest, { textOf, make });
  if (!containerPrograms.has(program)) return undefined;
  const group = rest.findIndex((word) => containerGroups.has(textOf(word) ?? ""));
  const act = rest.findIndex((word, index) => index > group && !textOf(word)?.startsWith("-"));
  if (group < 0 || act < 0) return undefined;
  const usual = containerGroups.get(textOf(rest[group]!)!)!.get(textOf(rest[act]!) ?? "");
  if (usual === undefined) return undefined;
  const kept = rest.filter((_word, index) => index !== group);
  return [first, ...kept.with(act - 1, make(usual, rest[act]!))];
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

const containerPrograms: ReadonlySet<string> = new Set(["docker", "podman", "nerdctl"]);

/** The short forms of grouped commands: `docker container run` is `docker run`. */
const containerGroups: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  ["builder", named("build")],
  ["buildx", named("build", { b: "build" })],
  [
    "container",
    named(
      "attach commit cp create diff exec export inspect kill logs pause port ps rename restart rm run start stats stop top unpause update wait",
      { ls: "ps", list: "ps", remove: "rm" },
    ),
  ],
  [
    "image",
    named("build history import inspect load pull push save tag", {
      ls: "images",
      list: "images",
      rm: "rmi",
      remove: "rmi",
    }),
  ],
  ["system", named("events info")],
]);

function named(same: string, others: Readonly<Record<string, string>> = {}): Map<string, string> {
  return new Map([...same.split(" ").map((name) => [name, name] as const), ...Object.entries(others)]);
}

/** The possible meanings of a subcommand. With `sure` it means all of the names: `npm it` installs and tests. */
export interface Meaning {
  readonly names: readonly string[];
  readonly sure: boolean;
}

export function meaningOf(program: string, text: string): Meaning | undefined {
  const known = subcommandsOf(program);
  if (known === undefined) return undefined;
  const given = program === "npm" ? text.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) : text;
  const exact = known.get(given);
  if (exact !== undefined) return { names: [exact, ...(joint.get(`${program} ${exact}`) ?? [])], sure: true };
  if (!abbreviating.has(program) || given === "") return undefined;
  const begun = [...known].flatMap(([name, usual]) => (name.startsWith(given) ? [usual] : []));
  const names = [...new Set(begun)];
  if (names.length === 0) return undefined;
  // Only npm's list is complete.
  return { names, sure: program === "npm" && names.length === 1 };
}

/** Programs that accept the beginning of a subcommand. */
const abbreviating: ReadonlySet<string> = new Set(["composer", "gem", "hg", "npm"]);

const joint: ReadonlyMap<string, readonly string[]> = new Map([
  ["npm install-ci-test", ["ci", "test"]],
  ["npm install-test", ["install", "test"]],
  ["pnpm install-test", ["install", "test"]],
]);

/** Returns the subcommands and aliases of a program, each with its usual name. */
function subcommandsOf(program: string): ReadonlyMap<string, string> | undefined {
  const lines = Object.hasOwn(subcommands, program) ? subcommands[program] : undefined;
  if (lines === undefined) return undefined;
  const known =
    usualNames.get(program) ??
    new Map(lines.flatMap((line) => line.split(" ").map((name) => [name, line.split(" ")[0]!] as const)));
  usualNames.set(program, known);
  return known;
}

/** The results of `subcommandsOf`, because rules ask for the same programs again and again. */
const usualNames = new Map<string, ReadonlyMap<string, string>>();

/** Each program's subcommands, one per line, with their aliases. */
const subcommands: Readonly<Record<string, readonly string[]>> = {
  brew: ["info abv", "install instal", "list ls", "uninstall rm remove", "update up"],
  bun: ["add a", "install i", "remove rm", "update up"],
  cargo: ["build b", "check c", "doc d", "remove rm", "run r", "test t"],
  composer: [
    "create-project",
    "install i",
    "remove rm uninstall",
    "require r",
    "run-script run",
    "show info",
    "update u upgrade",
  ],
  dnf: ["info if", "install in", "list ls", "remove rm erase", "search se", "upgrade up update"],
  gem: ["install i", "push", "signin login", "uninstall", "update", "yank"],
  git: ["add stage", "init init-db"],
  helm: ["dependency dep dependencies", "list ls", "pull fetch", "uninstall un del delete"],
  hg: [
    "commit ci",
    "push",
    "pull",
    "remove rm",
    "rename move mv",
    "revert",
    "strip",
    "update up checkout co",
  ],
  npm: [
    ..."access audit cache completion deny-scripts deprecate diff doctor edit explore find-dupes fund get help-search install-scripts login logout outdated pack ping pkg prefix profile prune publish query repo restart root sbom set shrinkwrap stage star stars start stop team token trust undeprecate unpublish unstar whoami approve-scripts hook".split(
      " ",
    ),
    "adduser add-user",
    "bugs issues",
    "ci clean-install ic install-clean isntall-clean",
    "config c",
    "dedupe ddp",
    "dist-tag dist-tags",
    "docs home",
    "exec x",
    "explain why",
    "help hlep",
    "init create innit",
    "install add i in ins inst insta instal isnt isnta isntal isntall",
    "install-ci-test cit clean-install-test sit",
    "install-test it",
    "link ln",
    "ll la",
    "ls list",
    "org ogr",
    "owner author",
    "rebuild rb",
    "run run-script rum urn",
    "search find s se",
    "test t tst",
    "uninstall un unlink remove rm r",
    "update u up upgrade udpate",
    "version verison",
    "view info show v",
  ],
  pnpm: [
    "config c",
    "install i",
    "install-test it",
    "link ln",
    "list ls",
    "rebuild rb",
    "remove rm un uninstall",
    "run run-script",
    "test t tst",
    "update up upgrade",
  ],
  svn: [
    "blame ann annotate praise",
    "checkout co",
    "commit ci",
    "copy cp",
    "delete del remove rm",
    "diff di",
    "move mv rename ren",
    "propset ps pset",
    "status st stat",
    "switch sw",
    "update up",
  ],
  yum: ["info if", "install in", "list ls", "remove rm erase", "upgrade up update"],
  zypper: ["dist-upgrade dup", "install in", "remove rm", "update up"],
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
