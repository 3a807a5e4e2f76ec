import { type Glob, parseIgnoreGlob } from "../glob/glob.ts";

/** The rules of one ignore file. */
export interface IgnoreRules {
  /**
   * What the last matching line says, undefined when none matches. `path` is relative to the file's directory.
   * Whether a directory above is ignored already, the caller knows.
   */
  decide(path: string, kind: "file" | "directory"): "ignore" | "include" | undefined;
  /** The name of whatever a line matches ends in one of these. */
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
  readonly says: "ignore" | "include";
}

class RuleList implements IgnoreRules {
  /** Plain names, found by one look: most files have many. */
  readonly #byName = { file: new Map<string, number>(), directory: new Map<string, number>() };
  /** Places of all others in the file, last first. */
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
    return this.#rules[Math.max(named, later)]?.says;
  }
}

function parseRule(line: string): Rule[] {
  if (line.startsWith("#")) return [];
  const pattern = withoutTrailingSpaces(line.endsWith("\r") ? line.slice(0, -1) : line);
  const negated = pattern.startsWith("!");
  const rest = negated ? pattern.slice(1) : pattern;
  const glob = rest === "" ? undefined : parseIgnoreGlob(rest);
  return glob === undefined ? [] : [{ glob, says: negated ? "include" : "ignore" }];
}

/** Spaces at the end do not count unless the first of them is escaped; other blanks do. */
function withoutTrailingSpaces(line: string): string {
  let end = 0;
  for (let index = 0; index < line.length; index += 1) {
    if (line[index] === "\\") index += 1;
    else if (line[index] === " ") continue;
    end = index + 1;
  }
  return line.slice(0, end);
}
