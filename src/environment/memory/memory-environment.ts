import type { EffectWatch, WatchWanted } from "../../contract/effects.ts";
import type {
  Announcing,
  ChangeOptions,
  ChangeReceipt,
  DeleteOptions,
  Directory,
  DirectoryEntry,
  EntryChange,
  Environment,
  FileChange,
  FileContent,
  FileInfo,
  LineRange,
  LineSlice,
  MoveOptions,
  RunningProcess,
  WriteOptions,
  WriteReceipt,
} from "../../contract/environment.ts";
import type { PathGuard } from "../../contract/guard.ts";
import type { EntryState } from "../../contract/history.ts";
import type { Snapshot } from "../../contract/snapshot.ts";
import { EffectWatches } from "../../engine/environment/effects/effect-watches.ts";
import { throwIfAborted } from "../../lib/async/abort.ts";
import { TimeSlice } from "../../lib/async/time-slice.ts";
import {
  alreadyExists,
  asToolError,
  directoryInTheWay,
  fileInTheWay,
  intoItself,
  isDirectory,
  isLink,
  isNoDirectory,
  isOutputHandle,
  isReadOnlyOutput,
  isSpecial,
  isWorkspaceItself,
  needsRecursive,
  notFound,
  ontoItself,
  programUnavailable,
  tooLarge,
} from "../../system/file-errors.ts";
import type { PathChecker } from "../../system/path-checker.ts";
import { liesInside, relativeToWorkspace, singleName } from "../../system/workspace-path.ts";
import { type ByteRange, checkByteRange, checkLineRange } from "../check-requests.ts";
import { layOut, sliceLines, type TextLayout } from "../lines/read-lines.ts";
import {
  announcing,
  changeEntry,
  changeTree,
  entryState,
  type PlannedChange,
  stateOf,
} from "./change-tree.ts";
import { snapshotTree } from "./snapshot-tree.ts";
import {
  asFile,
  type DirectoryNode,
  type FileNode,
  infoOf,
  type Node,
  newDirectory,
  newFile,
  newLink,
  pathOf,
  type Spot,
  Tree,
} from "./tree.ts";

/** A workspace in memory. It behaves like a local one, but cannot start programs. */
export class MemoryEnvironment implements Environment, AsyncDisposable {
  readonly workspace: string;
  readonly runsPrograms = false;
  readonly #tree: Tree;
  readonly #outputs = new Map<string, FileNode>();
  #effects: EffectWatches | undefined;

  constructor(
    content: {
      /** Default: `/workspace`. */
      readonly workspace?: string;
      readonly directories?: readonly string[];
      readonly files?: Readonly<Record<string, string | Uint8Array>>;
      readonly outputs?: Readonly<Record<string, string | Uint8Array>>;
      /** Refuses real paths to every caller. */
      readonly guard?: PathGuard | undefined;
    } = {},
    /** For environments that copy a part of their files into memory. */
    tree?: Tree,
  ) {
    this.workspace = tree?.rootPath ?? content.workspace ?? "/workspace";
    this.#tree = tree ?? new Tree(this.workspace, content.guard);
    for (const path of content.directories ?? []) this.#put(path, newDirectory());
    for (const [path, bytes] of Object.entries(content.files ?? {})) this.#put(path, newFile(bytes));
    for (const [handle, bytes] of Object.entries(content.outputs ?? {}))
      this.#outputs.set(handle, newFile(bytes));
  }

  /** Creates a link; its target need not exist. */
  link(path: string, target: string): void {
    this.#put(path, newLink(target));
  }

  /** Creates an entry that is not a file, directory or link. */
  makeSpecial(path: string): void {
    this.#put(path, { kind: "other", mode: 0o644, modifiedMs: Date.now() });
  }

  async realPath(path: string): Promise<string> {
    return this.#answer(path, () => {
      if (this.#output(path) !== undefined) return `/outputs/${path}`;
      const relative = pathOf(this.#tree.find(this.#relative(path), { followLinks: true }));
      return relative === "" ? this.workspace : `${this.workspace}/${relative}`;
    });
  }

  async info(path: string, options: { readonly followLinks?: boolean } = {}): Promise<FileInfo> {
    return this.#answer(path, () => infoOf(this.#existing(path, options.followLinks ?? true)));
  }

  async modifiedTimes(paths: readonly string[]): Promise<readonly (number | undefined)[]> {
    return Promise.all(
      paths.map(async (path) => {
        const info = await this.info(path, { followLinks: false }).catch(() => undefined);
        return info?.kind === "file" ? info.modifiedMs : undefined;
      }),
    );
  }

  async readFile(path: string, options: Parameters<Environment["readFile"]>[1]): Promise<FileContent> {
    return this.#answer(path, () => {
      throwIfAborted(options.signal);
      const file = this.#file(path);
      options.reached?.(this.#realPathOfFile(path));
      if (file.bytes.length > options.maxBytes) throw tooLarge(path, file.bytes.length, options.maxBytes);
      return { bytes: Buffer.from(file.bytes), info: infoOf(file) };
    });
  }

  async readBytes(path: string, range: ByteRange): Promise<Uint8Array> {
    checkByteRange(range);
    const { offset, length } = range;
    return this.#answer(path, () => {
      const { bytes } = this.#file(path);
      range.reached?.(this.#realPathOfFile(path));
      return Buffer.from(bytes.subarray(offset, offset + length));
    });
  }

  async readLines(path: string, range: LineRange, signal?: AbortSignal): Promise<LineSlice> {
    checkLineRange(range);
    throwIfAborted(signal);
    const file = this.#answer(path, () => this.#file(path));
    range.reached?.(this.#realPathOfFile(path));
    const source = {
      size: file.bytes.length,
      read: (target: Uint8Array, position: number) => file.bytes.copy(target, 0, position),
    };
    const layout = layouts.get(file.bytes) ?? layOut(source);
    layouts.set(file.bytes, layout);
    return sliceLines(source, layout, range, { timeSlice: new TimeSlice(signal), info: infoOf(file) });
  }

  async writeFile(path: string, content: Uint8Array, options: WriteOptions = {}): Promise<WriteReceipt> {
    return this.#announced(path, options, () => {
      const spot = this.#tree.find(this.#relative(path), { followLinks: true });
      if (spot.name === ".") throw isWorkspaceItself(path);
      const before = spot.node === undefined ? undefined : asFile(spot.node, path);
      if (path.endsWith("/")) throw isDirectory(path);
      if (before !== undefined && options.ifExists === "refuse") throw alreadyExists(path);
      this.#pass("write", spot, path);
      const file = newFile(content, before?.mode ?? options.mode);
      return {
        nodes: [before],
        effects: [
          ...this.#tree.toBeMade(spot),
          { realPath: this.#tree.realPathOf(spot), before: before && infoOf(before), after: infoOf(file) },
        ],
        make: () => {
          this.#tree.makeParents(spot).children.set(spot.name, file);
          return { created: before === undefined, info: infoOf(file) };
        },
      };
    });
  }

  async delete(path: string, options: DeleteOptions = {}): Promise<void> {
    return this.#announced(path, options, () => {
      const spot = this.#tree.findExisting(this.#relative(path), { followLinks: false, givenPath: path });
      if (spot.name === ".") throw isWorkspaceItself(path);
      this.#pass("write", spot, path);
      if (spot.node.kind === "directory" && options.recursive !== true) throw needsRecursive(path);
      const effects = [...removals(this.#tree.realPathOf(spot), spot.node)];
      for (const { realPath } of effects) this.#tree.checker.check("write", realPath, path);
      const nodes = [...nodesOf(spot.node)];
      return { nodes, effects, make: () => void spot.directory.children.delete(spot.name) };
    });
  }

  async move(from: string, to: string, options: MoveOptions = {}): Promise<void> {
    throwIfAborted(options.signal);
    this.#change(from, () => this.#relative(from));
    return this.#announced(to, options, () => {
      this.#relative(to);
      const source = this.#answer(from, () =>
        this.#tree.findExisting(this.#relative(from), { followLinks: false, givenPath: from }),
      );
      const target = this.#tree.find(this.#relative(to), { followLinks: false });
      if (source.name === ".") throw isWorkspaceItself(from);
      if (target.name === ".") throw isWorkspaceItself(to);
      if (pathOf(source) === pathOf(target)) throw ontoItself(from);
      const isInside = liesInside(`/${pathOf(target)}`, `/${pathOf(source)}`);
      const isDirectory = source.node.kind === "directory";
      if (isDirectory && isInside) throw intoItself(from, to);
      if (target.node?.kind === "directory") throw directoryInTheWay(to);
      if (target.node !== undefined && options.replace !== true) throw alreadyExists(to);
      if (target.node !== undefined && isDirectory) throw fileInTheWay(to);
      this.#passBothEnds(source, target, { from, to });
      const moved = infoOf(source.node);
      const effects = [
        ...this.#tree.toBeMade(target),
        { realPath: this.#tree.realPathOf(source), before: moved, after: undefined },
        {
          realPath: this.#tree.realPathOf(target),
          before: target.node && infoOf(target.node),
          after: moved,
        },
      ];
      const make = () => {
        this.#tree.makeParents(target).children.set(target.name, source.node);
        source.directory.children.delete(source.name);
      };
      return { nodes: [source.node, target.node], effects, make };
    });
  }

  async change(
    changes: readonly FileChange[],
    options: ChangeOptions = {},
  ): Promise<readonly ChangeReceipt[]> {
    const relative = (path: string) => this.#change(path, () => this.#relative(path));
    return announcing(changes[0]?.path ?? ".", options, () => changeTree(this.#tree, changes, relative));
  }

  async state(path: string, options: { readonly signal?: AbortSignal } = {}): Promise<EntryState> {
    throwIfAborted(options.signal);
    return this.#answer(path, () => {
      const output = this.#output(path);
      return output ? stateOf(output, path) : entryState(this.#tree, this.#relative(path), path);
    });
  }

  async changeEntry(path: string, change: EntryChange, options: Announcing = {}): Promise<void> {
    return this.#announced(path, options, () => changeEntry(this.#tree, this.#relative(path), path, change));
  }

  async listEntries({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<Snapshot> {
    throwIfAborted(signal);
    return snapshotTree(this.#tree, {});
  }

  async watchEffects(wanted: WatchWanted): Promise<EffectWatch> {
    throwIfAborted(wanted.signal);
    this.#effects ??= new EffectWatches({
      environment: { workspace: this.workspace, start: (program) => this.start(program) },
      snapshot: async (options) => snapshotTree(this.#tree, options),
      folder: undefined,
    });
    return this.#effects.watch(wanted);
  }

  async openDirectory(path: string): Promise<Directory> {
    return this.#answer(path, () => {
      const relative = this.#relative(path);
      const node = this.#existing(path, true);
      if (node.kind !== "directory") throw isNoDirectory(path);
      const inside = pathOf(this.#tree.find(relative, { followLinks: true }));
      const realPath = inside === "" ? this.workspace : `${this.workspace}/${inside}`;
      return new MemoryDirectory(node, relative, realPath, this.#tree.checker);
    });
  }

  async start(program: string): Promise<RunningProcess> {
    throw programUnavailable(program);
  }

  async close(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}

  #pass(use: "read" | "write", spot: Spot, path: string): void {
    this.#tree.checker.check(use, this.#tree.realPathOf(spot), path);
  }

  /**
   * Checks both paths of a move. It requires read permission, because a hidden file could be read under another name.
   */
  #passBothEnds(
    source: Spot & { readonly node: Node },
    target: Spot,
    { from, to }: { readonly from: string; readonly to: string },
  ): void {
    const [fromPath, toPath] = [this.#tree.realPathOf(source), this.#tree.realPathOf(target)];
    this.#pass("write", target, to);
    for (const { realPath } of removals(fromPath, source.node)) {
      this.#tree.checker.check("read", realPath, from);
      this.#tree.checker.check("write", realPath, from);
      this.#tree.checker.check("write", toPath + realPath.slice(fromPath.length), to);
    }
  }

  #put(path: string, node: Node): void {
    const spot = this.#tree.find(this.#relative(path), { followLinks: false });
    this.#tree.makeParents(spot).children.set(spot.name, node);
  }

  #relative(path: string): string {
    return relativeToWorkspace(path, [this.workspace]);
  }

  #output(path: string): FileNode | undefined {
    return isOutputHandle(path) ? this.#outputs.get(path) : undefined;
  }

  #existing(path: string, followLinks: boolean): Node {
    const output = this.#output(path);
    return output ?? this.#tree.findExisting(this.#relative(path), { followLinks, givenPath: path }).node;
  }

  #file(path: string): FileNode {
    const output = this.#output(path);
    if (output !== undefined) return output;
    const spot = this.#tree.findExisting(this.#relative(path), { followLinks: true, givenPath: path });
    const file = asFile(spot.node, path);
    this.#pass("read", spot, path);
    return file;
  }

  #answer<Result>(path: string, act: () => Result): Result {
    try {
      return act();
    } catch (error) {
      throw asToolError(error, path);
    }
  }

  /** The real path of a file that exists; for a stored output its handle, which is in no directory. */
  #realPathOfFile(path: string): string {
    if (this.#output(path) !== undefined) return path;
    return this.#tree.realPathOf(this.#tree.find(this.#relative(path), { followLinks: true }));
  }

  async #announced<Result>(
    path: string,
    options: Announcing & { readonly signal?: AbortSignal | undefined },
    plan: () => PlannedChange<Result>,
  ): Promise<Result> {
    return announcing(path, options, () => {
      const planned = this.#change(path, plan);
      return { ...planned, make: () => this.#answer(path, planned.make) };
    });
  }

  #change<Result>(path: string, act: () => Result): Result {
    if (this.#output(path) !== undefined) throw isReadOnlyOutput(path);
    return this.#answer(path, act);
  }
}

const layouts = new WeakMap<Uint8Array, TextLayout>();

function* nodesOf(node: Node): Generator<Node> {
  yield node;
  if (node.kind === "directory") for (const child of node.children.values()) yield* nodesOf(child);
}

/** Yields the removal of an entry, after those of everything in it. */
function* removals(realPath: string, node: Node): Generator<ChangeReceipt> {
  if (node.kind === "directory")
    for (const [name, child] of node.children) yield* removals(`${realPath}/${name}`, child);
  yield { realPath, before: infoOf(node), after: undefined };
}

class MemoryDirectory implements Directory {
  readonly path: string;
  readonly realPath: string;
  readonly #node: DirectoryNode;
  readonly #checker: PathChecker;

  constructor(node: DirectoryNode, path: string, realPath: string, checker: PathChecker) {
    this.#node = node;
    this.path = path;
    this.realPath = realPath;
    this.#checker = checker;
  }

  async entries(): Promise<readonly DirectoryEntry[]> {
    return Array.from(this.#node.children, ([name, node]) => ({ name, kind: node.kind }));
  }

  async openDirectory(name: string): Promise<Directory> {
    const node = this.#child(name);
    if (node.kind === "link") throw isLink(this.#pathOf(name));
    if (node.kind !== "directory") throw isNoDirectory(this.#pathOf(name));
    return new MemoryDirectory(node, this.#pathOf(name), `${this.realPath}/${name}`, this.#checker);
  }

  async info(name: string): Promise<FileInfo> {
    return infoOf(this.#child(name));
  }

  async readFile(name: string, maxBytes: number): Promise<Uint8Array | undefined> {
    const node = this.#child(name);
    if (node.kind === "link") throw isLink(this.#pathOf(name));
    if (node.kind === "directory") throw isDirectory(this.#pathOf(name));
    if (node.kind === "other") throw isSpecial(this.#pathOf(name));
    this.#checker.check("read", `${this.realPath}/${name}`, this.#pathOf(name));
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
