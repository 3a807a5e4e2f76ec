import { closeSync, fstatSync, lstatSync, readdirSync } from "node:fs";
import type { Directory, DirectoryEntry, FileInfo } from "../../../contract/environment.ts";
import type { ToolError } from "../../../contract/error.ts";
import { statsAt } from "../../../system/attempt.ts";
import { asToolError, errnoOf, isLink, isNoDirectory } from "../../../system/file-errors.ts";
import type { PathChecker } from "../../../system/path-checker.ts";
import { openIn, type PinnedDirectory } from "../../../system/pinning.ts";
import { singleName, withSlash } from "../../../system/workspace-path.ts";
import { fileInfo, fileKind } from "./file-info.ts";
import { readFully, refuseUnlessFile } from "./read-file.ts";

/** A directory for a tool. `held` contains all open directories, which are closed with the environment. */
export class HeldDirectory implements Directory {
  readonly path: string;
  readonly #directory: PinnedDirectory;
  readonly #checker: PathChecker;
  readonly #held: Set<HeldDirectory>;

  constructor(directory: PinnedDirectory, path: string, checker: PathChecker, held: Set<HeldDirectory>) {
    this.#directory = directory;
    this.#checker = checker;
    this.path = path;
    this.#held = held;
    held.add(this);
  }

  /** The real path at the time when the directory was opened. */
  get realPath(): string {
    return this.#directory.realPath;
  }

  /** A path to exactly this directory, valid while it is open. */
  get ownPath(): string {
    return this.#directory.at(".");
  }

  async entries(): Promise<readonly DirectoryEntry[]> {
    try {
      const entries = readdirSync(this.#directory.at("."), { withFileTypes: true });
      this.#directory.confirm();
      return entries.map((entry) => ({ name: entry.name, kind: fileKind(entry) }));
    } catch (error) {
      throw asToolError(error, this.path || ".");
    }
  }

  async openDirectory(name: string): Promise<Directory> {
    try {
      const directory = this.#directory.child(singleName(name));
      return new HeldDirectory(directory, this.#pathOf(name), this.#checker, this.#held);
    } catch (error) {
      throw this.#explain(error, name);
    }
  }

  async info(name: string): Promise<FileInfo> {
    try {
      return fileInfo(lstatSync(this.#directory.at(singleName(name))));
    } catch (error) {
      throw this.#explain(error, name);
    }
  }

  async readFile(name: string, maxBytes: number): Promise<Uint8Array | undefined> {
    let handle: number | undefined;
    try {
      handle = openIn(this.#directory, singleName(name));
      this.#checker.check("read", withSlash(this.realPath) + name, this.#pathOf(name));
      const stats = fstatSync(handle);
      refuseUnlessFile(stats, this.#pathOf(name));
      if (stats.size > maxBytes) return undefined;
      const bytes = Buffer.allocUnsafe(stats.size);
      return bytes.subarray(0, readFully(handle, bytes, 0));
    } catch (error) {
      throw this.#explain(error, name);
    } finally {
      if (handle !== undefined) closeSync(handle);
    }
  }

  close(): void {
    // A second close could close a handle that was reused.
    if (this.#held.delete(this)) this.#directory.close();
  }

  #pathOf(name: string): string {
    return this.path === "" ? name : `${this.path}/${name}`;
  }

  /** Explains an error. A link causes ELOOP when a file is opened, and ENOTDIR when a directory is opened. */
  #explain(error: unknown, name: string): ToolError {
    const path = this.#pathOf(name);
    const errno = errnoOf(error);
    const isEntryLink = () => statsAt(this.#directory.at(name))?.isSymbolicLink() === true;
    if (errno === "ELOOP" || (errno === "ENOTDIR" && isEntryLink())) return isLink(path);
    return errno === "ENOTDIR" ? isNoDirectory(path) : asToolError(error, path);
  }
}
