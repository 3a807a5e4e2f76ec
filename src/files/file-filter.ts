import { escapeGlob, expandBraces, type Glob, parseGlob } from "../lib/glob/glob.ts";
import { fileType } from "./file-types.ts";

export interface FilterOptions {
  readonly globs: readonly string[];
  readonly type?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
}

/** Selects files of a directory by globs relative to it. */
export class FileFilter {
  /** The last matching glob decides. */
  readonly #globs: readonly { readonly source: string; readonly glob: Glob; readonly wanted: boolean }[];
  readonly #wantsAll: boolean;
  readonly #type: string | undefined;
  readonly #typeGlobs: readonly Glob[] | undefined;

  readonly #ignoresCase: boolean;

  constructor(options: FilterOptions) {
    this.#ignoresCase = options.ignoreCase ?? false;
    const spelling = { ignoreCase: this.#ignoresCase };
    this.#globs = options.globs.map((source) => {
      const wanted = !source.startsWith("!");
      const text = wanted ? source : source.slice(1);
      return { source: text, glob: parseGlob(text, spelling), wanted };
    });
    this.#wantsAll = this.#globs.every(({ wanted }) => !wanted);
    this.#type = options.type;
    this.#typeGlobs = options.type === undefined ? undefined : fileType(options.type);
  }

  /** Every selected path ends in one of these texts, a rough filter for programs; undefined when unknown. */
  get tails(): readonly string[] | undefined {
    const tails = this.#globs.flatMap(({ glob, wanted }) => (wanted ? glob.tails : []));
    const isSure = tails.length > 0 && !tails.includes("") && !this.#ignoresCase;
    return isSure ? tails : undefined;
  }

  /** Whether a glob names a file or folder that begins with a dot, as in ".github/**": hidden files are then wanted. */
  get namesHidden(): boolean {
    const names = this.#globs.flatMap(({ source, wanted }) =>
      wanted ? expandBraces(source).flatMap((text) => text.split("/")) : [],
    );
    return names.some((name) => /^\\?\.(?!\.?$)/.test(name));
  }

  takes(path: string): boolean {
    if (this.#typeGlobs?.some((glob) => glob.matches(path, "file")) === false) return false;
    return this.#globs.findLast(({ glob }) => glob.matches(path, "file"))?.wanted ?? this.#wantsAll;
  }

  enters(directory: string): boolean {
    if (this.#globs.findLast(({ glob }) => glob.matches(directory, "directory"))?.wanted === false)
      return false;
    return (
      this.#wantsAll || this.#globs.some(({ glob, wanted }) => wanted && glob.couldMatchBelow(directory))
    );
  }

  /** Approximates the filter as ripgrep arguments. Check the results with `takes`. */
  forRipgrep(directory: string): RipgrepFilter {
    // A glob for whole directories would make ripgrep search ignored ones.
    const isSafe = this.#globs.every(({ source, wanted }) => !wanted || !/(?:^|\/)\*+\/?$/.test(source));
    const lastWanted = this.#globs.findLastIndex(({ wanted }) => wanted);
    const used = isSafe ? this.#globs : this.#globs.slice(lastWanted + 1);
    const args = used.flatMap(({ source, wanted }) =>
      expandBraces(source).flatMap((text) => ["-g", (wanted ? "" : "!") + anchoredAt(directory, text)]),
    );
    if (this.#type !== undefined) args.push("-t", this.#type);
    const showsIgnored = used.some(({ wanted }) => wanted);
    return { args, showsIgnored, showsHidden: showsIgnored || this.#type !== undefined };
  }
}

/** ripgrep also searches hidden and ignored files when a glob or type names them. */
export interface RipgrepFilter {
  readonly args: readonly string[];
  readonly showsIgnored: boolean;
  readonly showsHidden: boolean;
}

/** Rewrites a pattern relative to `directory` as one relative to the workspace. */
function anchoredAt(directory: string, pattern: string): string {
  const plain = pattern.replace(/^\.?\//, "");
  const isAnchored = plain !== pattern || plain.slice(0, -1).includes("/");
  if (!isAnchored) return pattern;
  return directory === "" ? `/${plain}` : `/${escapeGlob(directory)}/${plain}`;
}
