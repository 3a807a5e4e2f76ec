import type { IgnoreFileOutside } from "../../contract/environment.ts";
import { type Glob, parseIgnoreGlob } from "../glob/glob.ts";

export interface IgnoreRules {
  /** Returns the verdict of the last matching line, if any, for a path relative to the file's directory. */
  decide(path: string, kind: "file" | "directory"): "ignore" | "include" | undefined;
  /** Every name that a line matches ends in one of these texts. */
  readonly tails: readonly string[];
}

/** Reads a `.gitignore` or a file in its syntax. Lines that git would never match are left out. */
export function parseIgnoreRules(text: string): IgnoreRules {
  return new RuleList(
    text
      .replace(/^\uFEFF/, "")
      .split("\n")
      .flatMap(parseRule),
  );
}

interface Rule {
  readonly glob: Glob;
  readonly verdict: "ignore" | "include";
}

class RuleList implements IgnoreRules {
  /** Plain names are looked up in a map, because most files have many of them. */
  readonly #byName = { file: new Map<string, number>(), directory: new Map<string, number>() };
  /** Indexes of all other rules, last first. */
  readonly #others: number[] = [];
  readonly #rules: readonly Rule[];
  readonly tails: readonly string[];

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
    this.tails = rules.flatMap(({ glob }) => glob.tails);
    for (const [index, { glob }] of rules.entries()) {
      if (glob.literalName === undefined) {
        this.#others.unshift(index);
      } else {
        this.#byName.directory.set(glob.literalName, index);
        if (!glob.onlyDirectories) this.#byName.file.set(glob.literalName, index);
      }
    }
  }

  decide(path: string, kind: "file" | "directory"): "ignore" | "include" | undefined {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const named = this.#byName[kind].get(name) ?? -1;
    const matches = ({ glob }: Rule) => glob.couldBeNamed(name) && glob.matches(path, kind);
    const later = this.#others.find((index) => index < named || matches(this.#rules[index]!)) ?? -1;
    return this.#rules[Math.max(named, later)]?.verdict;
  }
}

function parseRule(line: string): Rule[] {
  if (line.startsWith("#")) return [];
  const pattern = withoutTrailingSpaces(line.endsWith("\r") ? line.slice(0, -1) : line);
  const negated = pattern.startsWith("!");
  const rest = negated ? pattern.slice(1) : pattern;
  const glob = rest === "" ? undefined : parseIgnoreGlob(rest);
  return glob === undefined ? [] : [{ glob, verdict: negated ? "include" : "ignore" }];
}

/** Removes trailing spaces, except one that is escaped. Other blanks stay. */
function withoutTrailingSpaces(line: string): string {
  let end = 0;
  for (let index = 0; index < line.length; index += 1) {
    if (line[index] === "\\") index += 1;
    else if (line[index] === " ") continue;
    end = index + 1;
  }
  return line.slice(0, end);
}

export type IgnoreFileName = IgnoreFileOutside["name"];

/** The ignore files of one directory. Paths get `prefix` and lose their first `cut` characters before matching. */
export interface IgnoreLevel {
  readonly files: ReadonlyMap<IgnoreFileName, IgnoreRules>;
  readonly cut: number;
  readonly prefix: string;
  /** Whether the directory is a repository, where git's rules from the directories above do not apply. */
  readonly isRepository: boolean;
}

/** Returns the level of a directory, given its path relative to the workspace; undefined when it has no rules. */
export function ignoreLevel(
  directory: string,
  texts: ReadonlyMap<IgnoreFileName, string>,
  isRepository: boolean,
): IgnoreLevel | undefined {
  if (texts.size === 0 && !isRepository) return undefined;
  const files = new Map(Array.from(texts, ([name, text]) => [name, parseIgnoreRules(text)]));
  return { files, cut: directory === "" ? 0 : directory.length + 1, prefix: "", isRepository };
}

export function outsideLevel({ name, workspace, text }: IgnoreFileOutside): IgnoreLevel {
  const prefix = workspace === "" ? "" : `${workspace}/`;
  const files = new Map([[name, parseIgnoreRules(text)]]);
  return { files, cut: 0, prefix, isRepository: name === "exclude" };
}

/**
 * All ignore files that apply in one directory, in ripgrep's order of precedence. When the search starts inside a
 * repository, git's rules end at the nearest repository; otherwise all of them apply.
 */
export class IgnoreLevels {
  readonly isInRepository: boolean;
  /** Nearest directory first. */
  protected readonly levels: readonly IgnoreLevel[];
  /** The first verdict counts. */
  readonly #byPrecedence: readonly LevelRules[];

  constructor(levels: readonly IgnoreLevel[], isInRepository: boolean = levels.some(isRepository)) {
    this.levels = levels;
    this.isInRepository = isInRepository;
    const repository = isInRepository ? levels.findIndex(isRepository) : -1;
    const inRepository = repository < 0 ? levels : levels.slice(0, repository + 1);
    this.#byPrecedence = [
      ...withRules(levels, ".rgignore"),
      ...withRules(levels, ".ignore"),
      ...withRules(inRepository, ".gitignore"),
      ...withRules(inRepository, "exclude"),
      ...withRules(levels, "global"),
    ];
  }

  /** Whether there are rules that git does not read. */
  get hasForeignRules(): boolean {
    return this.levels.some(({ files }) => files.has(".ignore") || files.has(".rgignore"));
  }

  /** Every name that a rule matches ends in one of these texts. */
  get tails(): readonly string[] {
    return this.#byPrecedence.flatMap(({ rules }) => rules.tails);
  }

  /** Returns the rules for a directory inside this one. */
  with(level: IgnoreLevel | undefined): IgnoreLevels {
    return level === undefined ? this : new IgnoreLevels([level, ...this.levels], this.isInRepository);
  }

  /** Returns the first verdict by precedence, if any. `path` is relative to the workspace. */
  decide(path: string, kind: "file" | "directory"): "ignore" | "include" | undefined {
    for (const { rules, cut, prefix } of this.#byPrecedence) {
      const verdict = rules.decide(prefix + path.slice(cut), kind);
      if (verdict !== undefined) return verdict;
    }
    return undefined;
  }
}

type LevelRules = Pick<IgnoreLevel, "cut" | "prefix"> & { readonly rules: IgnoreRules };

function isRepository(level: IgnoreLevel): boolean {
  return level.isRepository;
}

function withRules(levels: readonly IgnoreLevel[], name: IgnoreFileName): LevelRules[] {
  return levels.flatMap(({ files, cut, prefix }) => {
    const rules = files.get(name);
    return rules === undefined ? [] : [{ rules, cut, prefix }];
  });
}
