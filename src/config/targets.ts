import { homedir } from "node:os";
import { join, relative, resolve } from "node:path";
import { ToolError } from "../contract/error.ts";
import { problemsOf } from "../lib/json/file-problems.ts";
import { realLocation } from "../system/directories.ts";
import { readPolicyFile } from "../system/policy-files.ts";
import { liesInside } from "../system/workspace-path.ts";
import { keyPositions, lineOf, parseToml } from "./toml-text.ts";

/**
 * The table `targets` of the user's own `config.toml`: targets by a name for `--target`, or by a folder whose work they
 * do. A project has none, because it could send the user's work to another machine.
 */
export class ConfiguredTargets {
  readonly #table: Readonly<Record<string, unknown>>;
  /** The file, for messages. */
  readonly file: string;

  private constructor(table: Readonly<Record<string, unknown>>, file: string) {
    this.#table = table;
    this.file = file;
  }

  /** Returns undefined without a table. Throws when the file cannot be read: work must not stay here by mistake. */
  static async read(file: string): Promise<ConfiguredTargets | undefined> {
    const text = readPolicyFile(file);
    // Most files have none, and a parser takes time to load.
    if (text === undefined || !text.includes("targets")) return undefined;
    const content = await parseToml(text, file);
    const { targetsFile } = await import("./schema.ts");
    const { data } = targetsFile.safeParse(content);
    const [problem] = data === undefined ? problemsOf(targetsFile, content) : [];
    if (problem !== undefined) {
      const line = lineOf(keyPositions(text), problem.path.join("."));
      throw new ToolError("invalid-input", `${file}:${line}: ${problem.message}`, {
        hint: "Fix it: toolcrib config edit",
      });
    }
    return data?.targets && new ConfiguredTargets(data.targets, file);
  }

  /** The names for `--target`, with their targets. */
  get names(): readonly (readonly [name: string, target: string])[] {
    return Object.entries(this.#table).flatMap(([name, target]) =>
      isFolderKey(name) ? [] : [[name, String(target)]],
    );
  }

  /** Returns the target with this name. */
  named(name: string): string | undefined {
    return isFolderKey(name) || !Object.hasOwn(this.#table, name) ? undefined : String(this.#table[name]);
  }

  /**
   * Returns the target of this folder, or of the nearest folder above it that has one. Refuses two keys for one folder, and
   * a key that is a link: a project that replaces its folder by a link to a folder above could send the work in that
   * folder to its target.
   */
  of(folder: string): string | undefined {
    const real = realLocation(folder);
    const above = Object.keys(this.#table)
      .filter(isFolderKey)
      .map((key) => ({ key, path: realLocation(folderOf(key)) }))
      .filter(({ path }) => liesInside(real, path))
      .sort((one, other) => other.path.length - one.path.length);
    if (above[0] === undefined) return undefined;
    const { key, path } = above[0];
    if (above[1]?.path === path)
      throw new ToolError(
        "invalid-input",
        `${this.file}: targets.${JSON.stringify(key)} and targets.${JSON.stringify(above[1].key)} are the same folder`,
        { hint: "Keep one of them: toolcrib config edit" },
      );
    if (path !== withRealHome(folderOf(key)))
      throw new ToolError(
        "invalid-input",
        `${this.file}: targets.${JSON.stringify(key)} is a link to ${path}`,
        {
          hint: "Name the real folder: toolcrib config edit",
        },
      );
    return String(this.#table[key]);
  }
}

function isFolderKey(key: string): boolean {
  return key.startsWith("/") || key.startsWith("~/");
}

/** Resolves links in the path of the home folder only. Projects cannot change those. */
function withRealHome(folder: string): string {
  const path = resolve(folder);
  return liesInside(path, homedir()) ? join(realLocation(homedir()), relative(homedir(), path)) : path;
}

function folderOf(key: string): string {
  return key.startsWith("~/") ? join(homedir(), key.slice(2)) : key;
}
