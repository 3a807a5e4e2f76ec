import type { IgnoreFileOutside } from "../../contract/environment.ts";
import { type IgnoreRules, parseIgnoreRules } from "./ignore-rules.ts";

export type IgnoreFileName = IgnoreFileOutside["name"];

/** The ignore files of one directory. Its own view of a path: `prefix` before it, `cut` characters less. */
export interface IgnoreLevel {
  readonly files: ReadonlyMap<IgnoreFileName, IgnoreRules>;
  readonly cut: number;
  readonly prefix: string;
  /** Rules of git from further above do not hold. */
  readonly isRepository: boolean;
}

/** The level of a directory, its path relative to the workspace; undefined where there is nothing to heed. */
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
 * What the ignore files that hold in one directory say together, in ripgrep's order of precedence. What starts in a
 * repository heeds repositories: rules of git end at the nearest one. Anything else takes all rules for one.
 */
export class IgnoreLevels {
  readonly isInRepository: boolean;
  /** Nearest directory first. */
  readonly #levels: readonly IgnoreLevel[];
  /** The first that says something has the last word. */
  readonly #byPrecedence: readonly LevelRules[];

  constructor(levels: readonly IgnoreLevel[], isInRepository: boolean = levels.some(isRepository)) {
    this.#levels = levels;
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

  /** There are rules that git does not read. */
  get hasForeignRules(): boolean {
    return this.#levels.some(({ files }) => files.has(".ignore") || files.has(".rgignore"));
  }

  /** The name of whatever is ignored or included ends in one of these. */
  get tails(): readonly string[] {
    return this.#byPrecedence.flatMap(({ rules }) => rules.tails);
  }

  /** What holds in a directory of this one. */
  with(level: IgnoreLevel | undefined): IgnoreLevels {
    return level === undefined ? this : new IgnoreLevels([level, ...this.#levels], this.isInRepository);
  }

  /** `path` is relative to the workspace. */
  decide(path: string, kind: "file" | "directory"): "ignore" | "include" | undefined {
    for (const { rules, cut, prefix } of this.#byPrecedence) {
      const said = rules.decide(prefix + path.slice(cut), kind);
      if (said !== undefined) return said;
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
