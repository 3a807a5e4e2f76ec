import type { Backend, BackendEntry } from "../../contract/backend.ts";
import type { FileInfo } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { asToolError, errnoOf, tooLarge } from "../../system/file-errors.ts";
import { relativeToWorkspace } from "../../system/workspace-path.ts";
import { MemoryEnvironment } from "../memory/memory-environment.ts";
import { type DirectoryNode, type FileNode, type Node, newLink, pathOf, Tree } from "../memory/tree.ts";

/**
 * The entries of a backend that one operation concerns, as a tree in memory. The operation runs there with all checks
 * of the memory environment, and is then repeated in the backend.
 */
export class BackendView {
  readonly memory: MemoryEnvironment;
  readonly tree: Tree;
  readonly #backend: BackendAccess;
  /** Entries that a search has met, and that were not asked for yet. */
  readonly #unknown = new Map<string, LoadedChildren>();

  /** Loads everything that these paths, relative to the workspace, lead through. */
  static async load(backend: BackendAccess, paths: readonly string[]): Promise<BackendView> {
    const view = new BackendView(backend);
    await view.#follow(paths);
    return view;
  }

  private constructor(backend: BackendAccess) {
    this.#backend = backend;
    this.tree = new Tree(backend.workspace, undefined, this.#directory("", { mode: 0o755, modifiedMs: 0 }));
    this.memory = new MemoryEnvironment({}, this.tree);
  }

  /** Loads the names next to a missing entry, for a suggestion. */
  async loadNeighbours(path: string): Promise<void> {
    const spot = attempt(() => this.tree.find(path, { followLinks: true }));
    if (spot !== undefined) await this.#loadDirectory(spot.directory, spot.path);
  }

  /** Loads everything below a directory; nothing for any other entry. */
  async loadBelow(path: string, { deeply }: { readonly deeply: boolean }): Promise<void> {
    const spot = attempt(() => this.tree.find(path, { followLinks: false }));
    if (spot?.node?.kind !== "directory") return;
    const directory = pathOf(spot);
    await this.#loadDirectory(spot.node, directory);
    if (!deeply) return;
    const names = [...spot.node.children].filter(([, node]) => node.kind === "directory");
    await Promise.all(names.map(([name]) => this.loadBelow(join(directory, name), { deeply })));
  }

  /** Reads the contents of these files; other entries are skipped. */
  async readContents(paths: readonly string[]): Promise<void> {
    await Promise.all(paths.map((path) => this.#readContent(path)));
  }

  async #readContent(path: string): Promise<void> {
    const spot = attempt(() => this.tree.find(path, { followLinks: true }));
    if (spot?.node?.kind !== "file" || spot.node.size === undefined) return;
    const { size, ...node } = spot.node;
    if (size > maxContentBytes) throw tooLarge(path, size, maxContentBytes);
    const bytes = this.#backend.shared(Buffer.from(await this.#backend.readFile(pathOf(spot))));
    spot.directory.children.set(spot.name, { ...node, bytes } satisfies FileNode);
  }

  /** Searches for the paths again and again, and loads what the search lacks. Most paths are loaded at once. */
  async #follow(paths: readonly string[]): Promise<void> {
    for (const path of paths) await this.#loadParts(path);
    for (let turn = 0; turn <= maxTurns; turn += 1) {
      for (const path of paths) attempt(() => this.tree.find(path, { followLinks: true }));
      if (this.#unknown.size === 0) return;
      const asked = [...this.#unknown];
      this.#unknown.clear();
      await Promise.all(
        asked.map(async ([path, directory]) => directory.learn(path, await this.#backend.stat(path))),
      );
    }
    throw new ToolError("unavailable", `The links in ${this.#backend.workspace} cannot be followed`);
  }

  /** Loads a path without links in one turn. */
  async #loadParts(path: string): Promise<void> {
    const names = path.split("/").filter((name) => name !== "");
    const paths = names.map((_, index) => names.slice(0, index + 1).join("/"));
    // An answer about a path behind a link is not used. Failures are met again when the path is followed.
    const asked = paths.map((each) => this.#backend.stat(each).catch(() => "failed" as const));
    const entries = await Promise.all(asked);
    let directory: Node | undefined = this.tree.root;
    for (const [index, entry] of entries.entries()) {
      if (entry === "failed" || directory?.kind !== "directory") return;
      if (!(directory.children instanceof LoadedChildren)) return;
      const isKnown: boolean = directory.children.has(names[index]!);
      if (!isKnown) directory.children.learn(paths[index]!, entry);
      directory = directory.children.get(names[index]!);
    }
  }

  async #loadDirectory({ children }: DirectoryNode, path: string): Promise<void> {
    if (!(children instanceof LoadedChildren)) return;
    for (const entry of await this.#backend.list(path))
      if (!children.has(entry.name)) children.learn(join(path, entry.name), entry);
  }

  #directory(path: string, info: Pick<FileInfo, "mode" | "modifiedMs">): DirectoryNode {
    const ask = (name: string, asking: LoadedChildren) => this.#unknown.set(join(path, name), asking);
    const children = new LoadedChildren(ask, (at, entry) => this.#node(at, entry));
    return { kind: "directory", children, ...info };
  }

  #node(path: string, entry: BackendEntry): Node {
    const { kind, bytes, mode, modifiedMs } = { ...entry, ...infoOfEntry(entry) };
    if (kind === "directory") return this.#directory(path, { mode, modifiedMs });
    if (kind === "link") return { ...newLink(entry.target ?? ""), mode, modifiedMs };
    if (kind === "file") return { kind, bytes: Buffer.alloc(0), size: bytes, mode, modifiedMs };
    return { kind: "other", mode, modifiedMs };
  }
}

/** More than the memory environment follows for one path. */
const maxTurns = 100;

/** Contents are held in memory. */
const maxContentBytes = 256 * 1024 * 1024;

/** The loaded entries of a directory. Asks for an entry that a search needs and that is not loaded. */
class LoadedChildren extends Map<string, Node> {
  readonly #absent = new Set<string>();
  readonly #ask: (name: string, asking: LoadedChildren) => void;
  readonly #toNode: (path: string, entry: BackendEntry) => Node;

  constructor(
    ask: (name: string, asking: LoadedChildren) => void,
    toNode: (path: string, entry: BackendEntry) => Node,
  ) {
    super();
    this.#ask = ask;
    this.#toNode = toNode;
  }

  override get(name: string): Node | undefined {
    const node = super.get(name);
    if (node === undefined && !this.#absent.has(name)) this.#ask(name, this);
    return node;
  }

  learn(path: string, entry: BackendEntry | undefined): void {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (entry === undefined) this.#absent.add(name);
    else this.set(name, this.#toNode(path, entry));
  }
}

/** The methods of a backend, with paths relative to the workspace, ToolErrors, and checked answers. */
export class BackendAccess {
  readonly workspace: string;
  readonly backend: Backend;
  readonly #large = new BoundedCache<string, Buffer>({
    maxEntries: 20,
    maxWeight: 32 * 1024 * 1024,
    weigh: ({ length }) => length,
  });

  constructor(backend: Backend) {
    this.backend = backend;
    this.workspace = backend.workspace;
  }

  async stat(path: string): Promise<BackendEntry | undefined> {
    const entry = await this.use(path, (backend, at) => backend.stat(at));
    return entry === undefined ? undefined : checked(entry, path);
  }

  async list(path: string): Promise<readonly BackendEntry[]> {
    const entries = await this.use(path, (backend, at) => backend.list(at));
    if (!Array.isArray(entries)) throw invalidAnswer(`the list of ${path || "."} is not an array`);
    for (const entry of entries)
      if (!isName(checked(entry, path).name))
        throw invalidAnswer(`an entry of ${path || "."} has an impossible name`);
    return entries;
  }

  async info(path: string): Promise<FileInfo | undefined> {
    const entry = await this.stat(path);
    return entry && infoOfEntry(entry);
  }

  async readFile(
    path: string,
    range?: { readonly offset: number; readonly length: number },
  ): Promise<Uint8Array> {
    const bytes = await this.use(path, (backend, at) => backend.readFile(at, range));
    if (!(bytes instanceof Uint8Array)) throw invalidAnswer(`the content of ${path} is not bytes`);
    return range ? bytes.subarray(0, range.length) : bytes;
  }

  /** Returns the same buffer for the same large content, because its lines may have been counted. */
  shared(bytes: Buffer): Buffer {
    if (bytes.length < largeBytes) return bytes;
    const hash = contentHash(bytes);
    const earlier = this.#large.get(hash);
    if (earlier === undefined) this.#large.set(hash, bytes);
    return earlier ?? bytes;
  }

  /** The same for a real path, which is absolute. */
  useReal<Result>(realPath: string, act: (backend: Backend, at: string) => Promise<Result>): Promise<Result> {
    return this.use(relativeToWorkspace(realPath, [this.workspace]), act);
  }

  async use<Result>(path: string, act: (backend: Backend, at: string) => Promise<Result>): Promise<Result> {
    try {
      return await act(this.backend, path === "" ? this.workspace : `${this.workspace}/${path}`);
    } catch (error) {
      if (error instanceof ToolError || errnoOf(error) !== undefined) throw asToolError(error, path || ".");
      throw backendFailed(error);
    }
  }
}

const largeBytes = 64 * 1024;

export function infoOfEntry({ kind, bytes, mode, modifiedMs = 0 }: BackendEntry): FileInfo {
  const usual = { directory: 0o755, link: 0o777, file: 0o644, other: 0o644 };
  return { kind, bytes, modifiedMs, mode: mode ?? usual[kind] };
}

/** A backend may be hostile or broken: its answers are data. */
function checked(entry: BackendEntry, path: string): BackendEntry {
  const { kind, bytes, target, mode = 0, modifiedMs = 0 } = entry ?? {};
  const isValid =
    ["file", "directory", "link", "other"].includes(kind) &&
    [bytes, mode].every((value) => Number.isSafeInteger(value) && value >= 0) &&
    mode <= 0o7777 &&
    Number.isFinite(modifiedMs);
  if (!isValid || (kind === "link" && typeof target !== "string"))
    throw invalidAnswer(`the facts about ${path || "."} are incomplete or impossible`);
  return entry;
}

function isName(name: unknown): boolean {
  return typeof name === "string" && !/^\.{0,2}$|[/\0]/.test(name);
}

export function backendFailed(error: unknown): ToolError {
  const message = error instanceof Error ? error.message : String(error);
  return new ToolError("unavailable", `The backend failed: ${message}`, {
    hint: "Retry once, then tell the user.",
    cause: error,
  });
}

function invalidAnswer(problem: string): ToolError {
  return new ToolError("unavailable", `The backend gave an invalid answer: ${problem}`, {
    hint: "Tell the user: the backend is broken.",
    forUser: { hint: "Compare your Backend with docs/backends.md." },
  });
}

function join(directory: string, name: string): string {
  return directory === "" ? name : `${directory}/${name}`;
}

/** Returns undefined where a path leads nowhere; the operation itself reports why. */
function attempt<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
