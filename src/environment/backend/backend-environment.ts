import type { Backend } from "../../contract/backend.ts";
import type {
  Announcing,
  ChangeOptions,
  ChangeReceipt,
  DeleteOptions,
  Directory,
  DirectoryEntry,
  Effect,
  EntryChange,
  Environment,
  FileChange,
  FileContent,
  FileInfo,
  LineRange,
  LineSlice,
  MoveOptions,
  ProcessStartOptions,
  RunningProcess,
  WriteOptions,
  WriteReceipt,
} from "../../contract/environment.ts";
import { errorWith, ToolError } from "../../contract/error.ts";
import type { EntryState } from "../../contract/history.ts";
import { throwIfAborted } from "../../lib/async/abort.ts";
import { Semaphore } from "../../lib/async/semaphore.ts";
import {
  isDirectory,
  isLink,
  isNoDirectory,
  isSpecial,
  notFound,
  tooLarge,
} from "../../system/file-errors.ts";
import { relativeToWorkspace, singleName } from "../../system/workspace-path.ts";
import { type ByteRange, checkByteRange, checkLineRange } from "../check-requests.ts";
import { type FileNode, infoOf } from "../memory/tree.ts";
import { BackendPrograms } from "./backend-programs.ts";
import { BackendAccess, BackendView, infoOfEntry } from "./backend-view.ts";

/**
 * Makes an Environment of a Backend. Nothing is read, written or started on this machine. An operation loads the
 * entries that it concerns, runs in memory with all its checks, and is then repeated in the backend. Changes run one
 * after the other. Programs in the backend that swap links meanwhile could win a race: the backend is the boundary.
 */
export function environmentOf(backend: Backend): Environment {
  return new BackendEnvironment(backend);
}

class BackendEnvironment implements Environment {
  readonly workspace: string;
  readonly runsPrograms: boolean;
  readonly #access: BackendAccess;
  readonly #programs: BackendPrograms | undefined;
  readonly #turns = new Semaphore(1);

  constructor(backend: Backend) {
    checkBackend(backend);
    this.workspace = backend.workspace;
    this.#access = new BackendAccess(backend);
    this.runsPrograms = backend.exec !== undefined;
    if (this.runsPrograms) this.#programs = new BackendPrograms(backend);
  }

  async realPath(path: string): Promise<string> {
    return (await this.#view([path])).memory.realPath(path);
  }

  async info(path: string, options?: { readonly followLinks?: boolean }): Promise<FileInfo> {
    return this.#look(path, (view) => view.memory.info(path, options));
  }

  async readFile(path: string, options: Parameters<Environment["readFile"]>[1]): Promise<FileContent> {
    throwIfAborted(options.signal);
    return this.#look(path, async (view) => {
      const { kind, bytes } = await view.memory.info(path);
      if (kind === "file" && bytes > options.maxBytes) throw tooLarge(path, bytes, options.maxBytes);
      await view.readContents([this.#relative(path)]);
      return view.memory.readFile(path, options);
    });
  }

  async readBytes(path: string, range: ByteRange): Promise<Uint8Array> {
    checkByteRange(range);
    return this.#look(path, async (view) => {
      await view.memory.readBytes(path, { offset: 0, length: 0 });
      const { bytes } = await view.memory.info(path);
      const realPath = this.#relative(await view.memory.realPath(path));
      // A read of no bytes only checks the path.
      if (range.length === 0 || range.offset >= bytes) return new Uint8Array();
      return this.#access.readFile(realPath, range);
    });
  }

  async readLines(path: string, range: LineRange, signal?: AbortSignal): Promise<LineSlice> {
    checkLineRange(range);
    throwIfAborted(signal);
    return this.#look(path, async (view) => {
      await view.readContents([this.#relative(path)]);
      return view.memory.readLines(path, range, signal);
    });
  }

  async state(path: string, options: { readonly signal?: AbortSignal } = {}): Promise<EntryState> {
    throwIfAborted(options.signal);
    const view = await this.#view([path]);
    await view.readContents([this.#relative(path)]);
    return view.memory.state(path, options);
  }

  async modifiedTimes(
    paths: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly (number | undefined)[]> {
    const times: (number | undefined)[] = [];
    for (let at = 0; at < paths.length; at += statsAtOnce) {
      throwIfAborted(signal);
      const infos = paths.slice(at, at + statsAtOnce).map((path) => this.#access.info(path));
      for (const info of await Promise.all(infos))
        times.push(info?.kind === "file" ? info.modifiedMs : undefined);
    }
    return times;
  }

  async writeFile(path: string, content: Uint8Array, options: WriteOptions = {}): Promise<WriteReceipt> {
    return this.#change([path], options, async (view, announcing) => {
      const { created, info } = await view.memory.writeFile(path, content, announcing);
      const realPath = await view.memory.realPath(path);
      await this.#apply(announcing.effects, new Map([[realPath, { content, mode: info.mode }]]));
      return { created, info: await this.#infoNow(realPath) };
    });
  }

  async delete(path: string, options: DeleteOptions = {}): Promise<void> {
    return this.#change([path], options, async (view, announcing) => {
      if (options.recursive === true) await view.loadBelow(this.#relative(path), { deeply: true });
      await view.memory.delete(path, announcing);
      for (const [index, { realPath }] of announcing.effects.entries()) {
        const isBegun = index > 0;
        await this.#access
          .use(this.#relative(realPath), (backend, at) => backend.remove(at))
          .catch((error) => {
            throw isBegun
              ? errorWith(error, { message: `${error.message}; a part of ${path} is deleted` })
              : error;
          });
      }
    });
  }

  async move(from: string, to: string, options: MoveOptions = {}): Promise<void> {
    return this.#change([from, to], options, async (view, announcing) => {
      await view.memory.move(from, to, announcing);
      const [source, target] = announcing.effects.slice(-2);
      await this.#apply(announcing.effects.slice(0, -2), new Map());
      const at = this.#relative(source!.realPath);
      await this.#access.use(at, (backend, name) => backend.move(name, target!.realPath));
    });
  }

  async change(
    changes: readonly FileChange[],
    options: ChangeOptions = {},
  ): Promise<readonly ChangeReceipt[]> {
    const paths = changes.flatMap(({ path, like = path }) => [path, like]);
    return this.#change(paths, options, async (view, announcing) => {
      await view.readContents(changes.map(({ path }) => this.#relative(path)));
      const before = contentsIn(view, changes, (path) => this.#relative(path));
      const receipts = await view.memory.change(changes, announcing);
      const contents = new Map<string, Content>();
      for (const [index, { realPath, after }] of receipts.entries()) {
        const content = changes[index]!.after;
        if (after !== undefined && content !== "nothing")
          contents.set(realPath, { content, mode: after.mode });
      }
      await this.#apply(announcing.effects, contents, before);
      return Promise.all(
        receipts.map(async (receipt) => ({
          ...receipt,
          after: receipt.after && (await this.#infoNow(receipt.realPath)),
        })),
      );
    });
  }

  async changeEntry(path: string, change: EntryChange, options: Announcing = {}): Promise<void> {
    return this.#change([path], options, async (view, announcing) => {
      await view.loadBelow(this.#relative(path), { deeply: false });
      await view.readContents([this.#relative(path)]);
      await view.memory.changeEntry(path, change, announcing);
      const { before, after } = change;
      await this.#access.use(this.#relative(path), (backend, at) => {
        if (after.kind === "nothing") return backend.remove(at);
        if (after.kind === "link") return able(backend.makeLink?.(at, after.target), "create links");
        if (before.kind === "nothing") return backend.makeDirectory(at, { mode: after.mode });
        return able(backend.setMode?.(at, after.mode), "change permissions");
      });
    });
  }

  async openDirectory(path: string): Promise<Directory> {
    return this.#look(path, async (view) => {
      const { path: relative } = await view.memory.openDirectory(path);
      return new BackendDirectory(this.#access, relative, this.#relative(await view.memory.realPath(path)));
    });
  }

  async start(program: string, options: ProcessStartOptions): Promise<RunningProcess> {
    if (this.#programs === undefined)
      throw new ToolError(
        "unavailable",
        `The workspace is in a backend without programs, such as ${program}`,
        {
          hint: "Use the tools for files, edits and searches.",
          forUser: { hint: "Implement `exec` in your Backend: see docs/backends.md." },
          details: { kind: "missing-program" },
        },
      );
    throwIfAborted(options.signal);
    const cwd = await this.realPath(options.cwd ?? ".");
    return this.#programs.start(program, { ...options, cwd });
  }

  async close(): Promise<void> {
    await this.#programs?.close();
    await this.#access.backend.close?.();
  }

  #view(paths: readonly string[]): Promise<BackendView> {
    return BackendView.load(
      this.#access,
      paths.map((path) => this.#relative(path)),
    );
  }

  /** Runs an operation that only reads. A missing entry is reported with the nearest name. */
  async #look<Result>(path: string, act: (view: BackendView) => Promise<Result>): Promise<Result> {
    const view = await this.#view([path]);
    try {
      return await act(view);
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== "not-found") throw error;
      await view.loadNeighbours(this.#relative(path));
      return act(view);
    }
  }

  async #change<Options extends Announcing & { readonly signal?: AbortSignal }, Result>(
    paths: readonly string[],
    options: Options,
    act: (
      view: BackendView,
      announcing: Options & { readonly effects: readonly Effect[] },
    ) => Promise<Result>,
  ): Promise<Result> {
    throwIfAborted(options.signal);
    const release = await this.#turns.take(options.signal ?? never, paths[0] ?? ".");
    try {
      const effects: Effect[] = [];
      const announce = (announced: readonly Effect[]) => {
        options.announce?.(announced);
        effects.push(...announced);
      };
      return await act(await this.#view(paths), { ...options, announce, effects });
    } finally {
      release();
    }
  }

  /** Repeats effects in the backend. When one fails, the others are undone, with the contents `before`. */
  async #apply(
    effects: readonly Effect[],
    contents: ReadonlyMap<string, Content>,
    before: ReadonlyMap<string, Content> = new Map(),
  ): Promise<void> {
    const begun: Effect[] = [];
    try {
      for (const effect of effects) {
        begun.unshift(effect);
        await this.#step(effect, contents.get(effect.realPath), before.get(effect.realPath));
      }
    } catch (error) {
      throw await this.#restore(begun, before, error as ToolError);
    }
  }

  async #step(
    { realPath, before, after }: Effect,
    content: Content | undefined,
    old: Content | undefined,
  ): Promise<void> {
    if (before === undefined && after === undefined) return;
    await this.#access.use(this.#relative(realPath), async (backend, at) => {
      if (after === undefined) return backend.remove(at);
      if (content === undefined) return backend.makeDirectory(at, { mode: after.mode });
      const isSame = old !== undefined && Buffer.compare(old.content, content.content) === 0;
      if (!isSame) return backend.writeFile(at, content.content, { mode: content.mode });
      if (old.mode !== content.mode) return able(backend.setMode?.(at, content.mode), "change permissions");
    });
  }

  /** Undoes steps, the last one first. The error names the entries for which that failed. */
  async #restore(
    begun: readonly Effect[],
    before: ReadonlyMap<string, Content>,
    error: ToolError,
  ): Promise<ToolError> {
    const failed: string[] = [];
    for (const { realPath } of begun) {
      const path = this.#relative(realPath);
      const old = before.get(realPath);
      try {
        if (old?.target !== undefined) {
          const { target } = old;
          if ((await this.#access.stat(path)) === undefined)
            await this.#access.use(path, (backend, at) =>
              able(backend.makeLink?.(at, target), "create links"),
            );
        } else if (old !== undefined)
          await this.#access.use(path, (backend, at) =>
            backend.writeFile(at, old.content, { mode: old.mode }),
          );
        else if ((await this.#access.stat(path)) !== undefined)
          await this.#access.use(path, (backend, at) => backend.remove(at));
      } catch {
        failed.push(path);
      }
    }
    if (failed.length === 0) return error;
    return errorWith(error, { message: `${error.message}; not restored: ${failed.join(", ")}` });
  }

  async #infoNow(realPath: string): Promise<FileInfo> {
    const path = this.#relative(realPath);
    const info = await this.#access.info(path);
    if (info === undefined) throw notFound(path);
    return info;
  }

  #relative(path: string): string {
    return relativeToWorkspace(path, [this.workspace]);
  }
}

const statsAtOnce = 50;

/** The signal of operations that cannot be cancelled. */
const { signal: never } = new AbortController();

/** The content of a file, or the target of a link. */
interface Content {
  readonly content: Uint8Array;
  readonly mode: number;
  readonly target?: string;
}

/** Returns the entries that a change replaces or deletes, by their real path. */
function contentsIn(
  { tree }: BackendView,
  changes: readonly FileChange[],
  relative: (path: string) => string,
): ReadonlyMap<string, Content> {
  const contents = new Map<string, Content>();
  for (const { path, after } of changes) {
    let spot: ReturnType<typeof tree.find>;
    try {
      spot = tree.find(relative(path), { followLinks: after !== "nothing" });
    } catch {
      // The change itself reports why.
      continue;
    }
    const { node } = spot;
    const at = tree.realPathOf(spot);
    if (node?.kind === "file")
      contents.set(at, { content: (node as FileNode).bytes, mode: infoOf(node).mode });
    if (node?.kind === "link")
      contents.set(at, { content: new Uint8Array(), mode: node.mode, target: node.target });
  }
  return contents;
}

/** Waits for an optional method of the backend. */
async function able(done: Promise<void> | undefined, what: string): Promise<void> {
  if (done !== undefined) return done;
  throw new ToolError("unsupported", `The workspace is in a backend that cannot ${what}`, {
    hint: "Leave it as it is, and tell the user.",
  });
}

/** An open directory. Unlike on this machine, its path can be swapped for another. */
class BackendDirectory implements Directory {
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

/** Reports a mistake of the programmer when the instance opens. */
function checkBackend(backend: Backend): void {
  const missing = required.filter((name) => typeof backend[name] !== "function");
  if (missing.length > 0)
    throw new ToolError("invalid-input", `The backend has no method ${missing.join(", ")}`, {
      hint: "Implement all required methods of `Backend`: see docs/backends.md.",
    });
  const isPath =
    typeof backend.workspace === "string" && /^(\/(?!\.{0,2}(\/|$))[^/\0]+)+$/.test(backend.workspace);
  if (!isPath || typeof backend.name !== "string" || backend.name === "")
    throw new ToolError(
      "invalid-input",
      "The backend needs a `name`, and a `workspace` that is an absolute path",
      {
        hint: 'For example: { name: "e2b:i7x2", workspace: "/home/user/project", … }',
      },
    );
}

const required = ["stat", "list", "readFile", "writeFile", "makeDirectory", "remove", "move"] as const;
