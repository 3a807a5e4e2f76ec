import { posix } from "node:path";
import type { Backend, BackendEntry } from "toolcrib";

interface StoredEntry extends Pick<BackendEntry, "kind" | "target"> {
  readonly mode: number;
  readonly modifiedMs: number;
  readonly content: Uint8Array;
}

/** A workspace in memory, without commands. */
export class MemoryBackend implements Backend {
  readonly name = "memory";
  readonly workspace: string;
  readonly #entries = new Map<string, StoredEntry>();

  constructor(workspace: string, files: Readonly<Record<string, string | Uint8Array>> = {}) {
    this.workspace = workspace;
    for (const [path, content] of Object.entries(files)) {
      const parts = path.split("/");
      for (let depth = 1; depth < parts.length; depth += 1)
        this.put(`${workspace}/${parts.slice(0, depth).join("/")}`, { kind: "directory", mode: 0o755 });
      this.put(`${workspace}/${path}`, { content: Buffer.from(content as Uint8Array) });
    }
  }

  async stat(path: string): Promise<BackendEntry | undefined> {
    if (path === this.workspace) return { name: posix.basename(path), kind: "directory", bytes: 0 };
    const entry = this.#entries.get(path);
    if (entry === undefined) return undefined;
    const { kind, target, content, mode, modifiedMs } = entry;
    return { name: posix.basename(path), kind, target, bytes: content.length, mode, modifiedMs };
  }

  async list(path: string): Promise<readonly BackendEntry[]> {
    const paths = [...this.#entries.keys()].filter((each) => posix.dirname(each) === path);
    return (await Promise.all(paths.map((each) => this.stat(each)))).filter((entry) => entry !== undefined);
  }

  async readFile(path: string, range = { offset: 0, length: Number.MAX_SAFE_INTEGER }): Promise<Uint8Array> {
    const { content } = this.#existing(path);
    return content.slice(range.offset, range.offset + range.length);
  }

  async writeFile(path: string, content: Uint8Array, { mode }: { readonly mode: number }): Promise<void> {
    this.put(path, { content: Buffer.from(content), mode });
  }

  async makeDirectory(path: string, { mode }: { readonly mode: number }): Promise<void> {
    this.put(path, { kind: "directory", mode });
  }

  async remove(path: string): Promise<void> {
    if ((await this.list(path)).length > 0) throw systemError("ENOTEMPTY", path);
    this.#existing(path);
    this.#entries.delete(path);
  }

  async move(from: string, to: string): Promise<void> {
    this.#existing(from);
    for (const [path, entry] of [...this.#entries]) {
      if (path !== from && !path.startsWith(`${from}/`)) continue;
      this.#entries.delete(path);
      this.#entries.set(to + path.slice(from.length), entry);
    }
  }

  async setMode(path: string, mode: number): Promise<void> {
    this.#entries.set(path, { ...this.#existing(path), mode });
  }

  async makeLink(path: string, target: string): Promise<void> {
    this.put(path, { kind: "link", target, mode: 0o777 });
  }

  put(path: string, entry: Partial<StoredEntry>): void {
    const content = new Uint8Array();
    this.#entries.set(path, { kind: "file", mode: 0o644, modifiedMs: Date.now(), content, ...entry });
  }

  #existing(path: string): StoredEntry {
    const entry = this.#entries.get(path);
    if (entry === undefined) throw systemError("ENOENT", path);
    return entry;
  }
}

/** Toolcrib understands the codes of Node's system errors. */
function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
