import type {
  Directory,
  DirectoryEntry,
  Environment,
  IgnoreFileOutside,
} from "../../contract/environment.ts";
import { type IgnoreRules, parseIgnoreRules } from "../../text/ignore-rules.ts";

/**
 * What the ignore files that hold in one directory say together, in ripgrep's order of precedence. A search that starts
 * in a repository heeds repositories: rules of git end at the nearest one. Any other takes all rules for one.
 */
export class IgnoreChain {
  readonly isInRepository: boolean;
  /** Nearest directory first. */
  readonly #levels: readonly Level[];
  /** The first that says something has the last word. */
  readonly #byPrecedence: readonly (Level & { readonly rules: IgnoreRules })[];

  private constructor(levels: readonly Level[], isInRepository: boolean) {
    this.#levels = levels;
    this.isInRepository = isInRepository;
    const repository = isInRepository ? levels.findIndex((level) => level.isRepository) : -1;
    const inRepository = repository < 0 ? levels : levels.slice(0, repository + 1);
    this.#byPrecedence = [
      ...withRules(levels, ".rgignore"),
      ...withRules(levels, ".ignore"),
      ...withRules(inRepository, ".gitignore"),
      ...withRules(inRepository, "exclude"),
      ...withRules(levels, "global"),
    ];
  }

  /** What holds in a directory where a search starts; `start` is relative to the workspace. */
  static async at(environment: Environment, start: string): Promise<IgnoreChain> {
    const directory = await environment.openDirectory(start || ".");
    try {
      return await IgnoreChain.startingIn(directory, await directory.entries(), environment);
    } finally {
      directory.close();
    }
  }

  /** The same where the directory is open and read already. */
  static async startingIn(
    directory: Directory,
    entries: readonly DirectoryEntry[],
    environment: Environment,
  ): Promise<IgnoreChain> {
    const outside = (await environment.ignoreFilesOutside?.()) ?? [];
    const above: Level[] = [];
    const names = directory.path === "" ? [] : directory.path.split("/");
    for (let depth = 0; depth < names.length; depth += 1) {
      const other = await environment.openDirectory(names.slice(0, depth).join("/") || ".");
      try {
        above.unshift(...(await readLevel(other, await other.entries())));
      } finally {
        other.close();
      }
    }
    const levels = [...(await readLevel(directory, entries)), ...above, ...outside.map(outsideLevel)];
    return new IgnoreChain(
      levels,
      levels.some((level) => level.isRepository),
    );
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
  async in(directory: Directory, entries: readonly DirectoryEntry[]): Promise<IgnoreChain> {
    const levels = await readLevel(directory, entries);
    return levels.length === 0 ? this : new IgnoreChain([...levels, ...this.#levels], this.isInRepository);
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

type IgnoreFileName = IgnoreFileOutside["name"];

/** The ignore files of one directory. Its own view of a path: `prefix` before it, `cut` characters less. */
interface Level {
  readonly files: ReadonlyMap<IgnoreFileName, IgnoreRules>;
  readonly cut: number;
  readonly prefix: string;
  /** Rules of git from further above do not hold. */
  readonly isRepository: boolean;
}

function withRules(
  levels: readonly Level[],
  name: IgnoreFileName,
): (Level & { readonly rules: IgnoreRules })[] {
  return levels.flatMap((level) => {
    const rules = level.files.get(name);
    return rules === undefined ? [] : [{ ...level, rules }];
  });
}

function outsideLevel({ name, workspace, text }: IgnoreFileOutside): Level {
  const prefix = workspace === "" ? "" : `${workspace}/`;
  const files = new Map([[name, parseIgnoreRules(text)]]);
  return { files, cut: 0, prefix, isRepository: name === "exclude" };
}

/** Larger files hold no rules that anybody wrote. */
const maxBytes = 1024 * 1024;

/** One level, or none where there is nothing to heed. */
async function readLevel(
  directory: Directory,
  entries: readonly DirectoryEntry[],
): Promise<readonly Level[]> {
  const files = new Map<IgnoreFileName, IgnoreRules>();
  let isRepository = false;
  const read = async (name: IgnoreFileName, from: Directory, file: string) => {
    const bytes = await from.readFile(file, maxBytes).catch(() => undefined);
    if (bytes !== undefined) files.set(name, parseIgnoreRules(new TextDecoder().decode(bytes)));
  };
  for (const { name, kind } of entries) {
    if (!name.startsWith(".")) continue;
    if (name === ".git") {
      isRepository = true;
      if (kind === "directory") await inInfo(directory, (info) => read("exclude", info, "exclude"));
    } else if (kind === "file" && (name === ".gitignore" || name === ".ignore" || name === ".rgignore")) {
      await read(name, directory, name);
    }
  }
  if (files.size === 0 && !isRepository) return [];
  const cut = directory.path === "" ? 0 : directory.path.length + 1;
  return [{ files, cut, prefix: "", isRepository }];
}

async function inInfo(directory: Directory, act: (info: Directory) => Promise<void>): Promise<void> {
  let git: Directory | undefined;
  let info: Directory | undefined;
  try {
    git = await directory.openDirectory(".git");
    info = await git.openDirectory("info");
    await act(info);
  } catch {
    // Not every repository has one.
  } finally {
    info?.close();
    git?.close();
  }
}
