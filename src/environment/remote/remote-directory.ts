import type { Directory, DirectoryEntry, FileInfo } from "../../contract/environment.ts";
import { checkRelative } from "./checked-paths.ts";
import { badMessage } from "./message.ts";
import type { Peer } from "./peer.ts";
import type { SentDirectory } from "./protocol.ts";
import { type CallTarget, maxListBytes } from "./remote-process.ts";

interface RemoteDirectoryParts {
  readonly peer: Peer;
  readonly call: CallTarget;
  readonly takeId: () => number;
  /** Returns the path, or throws unless it is inside the workspace. */
  readonly inside: (realPath: string) => string;
}

/** An open directory of the target, by the id of its lease. */
export class RemoteDirectory implements Directory {
  readonly path: string;
  readonly realPath: string | undefined;
  readonly #id: number;
  readonly #parts: RemoteDirectoryParts;
  /** The entries when it was opened, for the first caller that asks. */
  #entries: SentDirectory["entries"];

  constructor(id: number, { path, realPath, entries }: SentDirectory, parts: RemoteDirectoryParts) {
    if (path !== "") checkRelative(path);
    this.path = path;
    this.realPath = realPath && parts.inside(realPath);
    this.#id = id;
    this.#parts = parts;
    this.#entries = entries;
  }

  async entries(): Promise<readonly DirectoryEntry[]> {
    const at = { directory: this.#id };
    const entries = this.#entries ?? (await this.#parts.call("entries", at, { maxBytes: maxListBytes }));
    this.#entries = undefined;
    for (const { name } of entries)
      if (name === "" || name === "." || name === ".." || /[/\0]/.test(name))
        throw badMessage("an entry has an impossible name");
    return entries;
  }

  async openDirectory(name: string): Promise<Directory> {
    const { call, takeId } = this.#parts;
    const id = takeId();
    const opened = await call("openChild", { directory: this.#id, name, as: id });
    return new RemoteDirectory(id, opened, this.#parts);
  }

  info(name: string): Promise<FileInfo> {
    return this.#parts.call("infoOfEntry", { directory: this.#id, name });
  }

  async readFile(name: string, maxBytes: number): Promise<Uint8Array | undefined> {
    const wanted = { directory: this.#id, name, maxBytes };
    const bytes = await this.#parts.call("readEntry", wanted, { maxBytes });
    if (bytes !== undefined && bytes.length > maxBytes) throw badMessage("more bytes than were asked for");
    return bytes;
  }

  close(): void {
    this.#parts.peer.note("closeDirectory", { directory: this.#id }).catch(() => {});
  }
}
