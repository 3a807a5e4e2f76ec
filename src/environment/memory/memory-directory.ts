import type { Directory, DirectoryEntry, FileInfo } from "../../contract/environment.ts";
import { isDirectory, isLink, isNoDirectory, isSpecial, notFound } from "../../system/failures.ts";
import type { Gate } from "../../system/gate.ts";
import { singleName } from "../../system/workspace-path.ts";
import { type DirectoryNode, infoOf, type Node } from "./tree.ts";

export class MemoryDirectory implements Directory {
  readonly path: string;
  readonly #node: DirectoryNode;
  readonly #realPath: string;
  readonly #gate: Gate;

  constructor(node: DirectoryNode, path: string, realPath: string, gate: Gate) {
    this.#node = node;
    this.path = path;
    this.#realPath = realPath;
    this.#gate = gate;
  }

  async entries(): Promise<readonly DirectoryEntry[]> {
    return Array.from(this.#node.children, ([name, node]) => ({ name, kind: node.kind }));
  }

  async openDirectory(name: string): Promise<Directory> {
    const node = this.#child(name);
    if (node.kind === "link") throw isLink(this.#pathOf(name));
    if (node.kind !== "directory") throw isNoDirectory(this.#pathOf(name));
    return new MemoryDirectory(node, this.#pathOf(name), `${this.#realPath}/${name}`, this.#gate);
  }

  async info(name: string): Promise<FileInfo> {
    return infoOf(this.#child(name));
  }

  async readFile(name: string, maxBytes: number): Promise<Uint8Array | undefined> {
    const node = this.#child(name);
    if (node.kind === "link") throw isLink(this.#pathOf(name));
    if (node.kind === "directory") throw isDirectory(this.#pathOf(name));
    if (node.kind === "other") throw isSpecial(this.#pathOf(name));
    this.#gate.pass("read", `${this.#realPath}/${name}`, this.#pathOf(name));
    return node.bytes.length > maxBytes ? undefined : Buffer.from(node.bytes);
  }

  close(): void {}

  #child(name: string): Node {
    const node = this.#node.children.get(singleName(name));
    if (node === undefined) throw notFound(this.#pathOf(name));
    return node;
  }

  #pathOf(name: string): string {
    return this.path === "" ? name : `${this.path}/${name}`;
  }
}
