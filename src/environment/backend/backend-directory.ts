import type { Directory, DirectoryEntry, FileInfo } from "../../contract/environment.ts";
import { isDirectory, isLink, isNoDirectory, isSpecial, notFound } from "../../system/file-errors.ts";
import { singleName } from "../../system/workspace-path.ts";
import { type BackendAccess, infoOfEntry } from "./backend-view.ts";

/** An open directory. Unlike on this machine, its path can be swapped for another. */
export class BackendDirectory implements Directory {
  readonly path: string;
  readonly #access: BackendAccess;
  readonly #realPath: string;

  constructor(access: BackendAccess, path: string, realPath: string) {
    this.#access = access;
    this.path = path;
    this.#realPath = realPath;
  }

  async entries(): Promise<readonly DirectoryEntry[]> {
    return (await this.#access.list(this.#realPath)).map(({ name, kind }) => ({ name, kind }));
  }

  async openDirectory(name: string): Promise<Directory> {
    const { kind } = await this.info(name);
    if (kind === "link") throw isLink(at(this.path, name));
    if (kind !== "directory") throw isNoDirectory(at(this.path, name));
    return new BackendDirectory(this.#access, at(this.path, name), at(this.#realPath, name));
  }

  async info(name: string): Promise<FileInfo> {
    const entry = await this.#access.stat(at(this.#realPath, singleName(name)));
    if (entry === undefined) throw notFound(at(this.path, name));
    return infoOfEntry(entry);
  }

  async readFile(name: string, maxBytes: number): Promise<Uint8Array | undefined> {
    const { kind, bytes } = await this.info(name);
    if (kind === "link") throw isLink(at(this.path, name));
    if (kind === "directory") throw isDirectory(at(this.path, name));
    if (kind === "other") throw isSpecial(at(this.path, name));
    if (bytes > maxBytes) return undefined;
    const content = await this.#access.readFile(at(this.#realPath, name));
    return content.length > maxBytes ? undefined : content;
  }

  close(): void {}
}

function at(directory: string, name: string): string {
  return directory === "" ? name : `${directory}/${name}`;
}
