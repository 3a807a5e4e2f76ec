import type { ChangeReceipt, FileInfo } from "../../contract/environment.ts";
import type { PathGuard } from "../../contract/guard.ts";
import {
  danglingLink,
  isDirectory,
  isSpecial,
  LeadsOutside,
  notFound,
  systemError,
} from "../../system/file-errors.ts";
import { PathChecker } from "../../system/path-checker.ts";

export type Node = FileNode | DirectoryNode | LinkNode | SpecialNode;

interface NodeBase {
  readonly mode: number;
  readonly modifiedMs: number;
}

export interface FileNode extends NodeBase {
  readonly kind: "file";
  readonly bytes: Buffer;
  /** The size, where `bytes` has not been read yet. */
  readonly size?: number;
}

export interface DirectoryNode extends NodeBase {
  readonly kind: "directory";
  readonly children: Map<string, Node>;
}

interface LinkNode extends NodeBase {
  readonly kind: "link";
  readonly target: string;
}

/** Represents a FIFO, device or socket. */
interface SpecialNode extends NodeBase {
  readonly kind: "other";
}

export function newFile(content: string | Uint8Array, mode: number = 0o644): FileNode {
  return { kind: "file", bytes: Buffer.from(content as Uint8Array), mode, modifiedMs: Date.now() };
}

export function newDirectory(mode = 0o755, children: Map<string, Node> = new Map()): DirectoryNode {
  return { kind: "directory", children, mode, modifiedMs: Date.now() };
}

export function newLink(target: string): LinkNode {
  return { kind: "link", target, mode: 0o777, modifiedMs: Date.now() };
}

export function infoOf(node: Node): FileInfo {
  const bytes =
    node.kind === "file"
      ? (node.size ?? node.bytes.length)
      : node.kind === "link"
        ? Buffer.byteLength(node.target)
        : 0;
  return { kind: node.kind, bytes, modifiedMs: node.modifiedMs, mode: node.mode };
}

export function asFile(node: Node, path: string): FileNode {
  if (node.kind === "file") return node;
  throw node.kind === "directory" ? isDirectory(path) : isSpecial(path);
}

/** The location of a path: a name in a directory. */
export interface Spot {
  readonly directory: DirectoryNode;
  readonly path: string;
  readonly missing: readonly string[];
  /** "." for the root itself. */
  readonly name: string;
  readonly node: Node | undefined;
}

const maxLinks = 40;
const maxNameBytes = 255;

/** A tree of files below one root, with links that may lead outside. */
export class Tree {
  readonly rootPath: string;
  readonly checker: PathChecker;
  readonly root: DirectoryNode;

  constructor(rootPath: string, guard: PathGuard | undefined, root: DirectoryNode = newDirectory()) {
    this.rootPath = rootPath;
    this.root = root;
    this.checker = new PathChecker(rootPath, guard);
  }

  find(relative: string, options: { readonly followLinks: boolean }): Spot {
    const trail: { readonly name: string; readonly directory: DirectoryNode }[] = [];
    let pending = parts(relative);
    for (let links = 0; ; ) {
      const name = pending.shift();
      const directory = trail.at(-1)?.directory ?? this.root;
      const path = trail.map((step) => step.name).join("/");
      if (name === undefined) return this.#itself(trail);
      if (name === "..") {
        if (trail.pop() === undefined && pending.shift() !== this.rootPath.slice(1)) {
          throw new LeadsOutside(this.rootPath);
        }
        continue;
      }
      if (Buffer.byteLength(name) > maxNameBytes) throw systemError("ENAMETOOLONG", name);
      if (name === ".") continue;
      const node = directory.children.get(name);
      if (node?.kind === "link" && (options.followLinks || pending.length > 0)) {
        links += 1;
        if (links > maxLinks) throw systemError("ELOOP", relative);
        if (node.target.startsWith("/")) trail.splice(0);
        pending = parts([...this.#linkParts(node.target), ...pending].join("/"));
        continue;
      }
      if (pending.length === 0) return { directory, path, missing: [], name, node };
      if (node === undefined) {
        if (pending.includes("..") || pending.includes(".")) throw systemError("ENOENT", relative);
        const below = [name, ...pending];
        return { directory, path, missing: below.slice(0, -1), name: below.at(-1)!, node };
      }
      if (node.kind !== "directory") throw systemError("ENOTDIR", relative);
      trail.push({ name, directory: node });
    }
  }

  findExisting(
    relative: string,
    options: { readonly followLinks: boolean; readonly givenPath: string },
  ): Spot & { readonly node: Node } {
    const spot = this.find(relative, options);
    if (spot.node !== undefined) return { ...spot, node: spot.node };
    const direct = this.find(relative, { followLinks: false });
    if (direct.node?.kind === "link") throw danglingLink(options.givenPath, direct.node.target);
    throw notFound(options.givenPath, {
      directory: spot.path,
      names: [...spot.directory.children.keys()],
      wanted: spot.missing[0] ?? spot.name,
    });
  }

  /** Creates the missing directories above a spot; returns its parent. */
  makeParents(spot: Spot): DirectoryNode {
    let directory = spot.directory;
    for (const name of spot.missing) {
      const made = newDirectory();
      directory.children.set(name, made);
      directory = made;
    }
    return directory;
  }

  /** Returns the directories that `makeParents` would create. */
  toBeMade(spot: Spot): readonly ChangeReceipt[] {
    const after = infoOf(newDirectory());
    return spot.missing.map((_, index) => ({
      realPath: [this.rootPath, ...parts(spot.path), ...spot.missing.slice(0, index + 1)].join("/"),
      before: undefined,
      after,
    }));
  }

  realPathOf(spot: Spot): string {
    return `${this.rootPath}/${pathOf(spot)}`;
  }

  #linkParts(target: string): string[] {
    if (!target.startsWith("/")) return parts(target);
    if (target === this.rootPath || target.startsWith(`${this.rootPath}/`))
      return parts(target.slice(this.rootPath.length));
    throw new LeadsOutside(this.rootPath);
  }

  #itself(trail: readonly { readonly name: string; readonly directory: DirectoryNode }[]): Spot {
    const last = trail.at(-1);
    if (last === undefined)
      return { directory: this.root, path: "", missing: [], name: ".", node: this.root };
    const above = trail.slice(0, -1);
    const path = above.map((step) => step.name).join("/");
    const directory = above.at(-1)?.directory ?? this.root;
    return { directory, path, missing: [], name: last.name, node: last.directory };
  }
}

/** Returns the real path of a spot, relative to the root. */
export function pathOf(spot: Spot): string {
  if (spot.name === ".") return "";
  return [...parts(spot.path), ...spot.missing, spot.name].join("/");
}

/** Splits a path. A "." at the end stays, because it requires a directory. Other "." parts are dropped. */
function parts(path: string): string[] {
  const names = path.split("/");
  return names.filter((name, index) => name !== "" && (name !== "." || index === names.length - 1));
}
