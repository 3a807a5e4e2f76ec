import type { Backend } from "../../contract/backend.ts";
import type {
  Announcing,
  ChangeOptions,
  ChangeReceipt,
  DeleteOptions,
  Directory,
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
import { Semaphore, whileReading } from "../../lib/async/semaphore.ts";
import { isStale, notFound, tooLarge } from "../../system/file-errors.ts";
import { relativeToWorkspace } from "../../system/workspace-path.ts";
import { type ByteRange, checkByteRange, checkLineRange } from "../check-requests.ts";
import { able, applyEffects, type Content, contentsBefore } from "./backend-changes.ts";
import { BackendDirectory } from "./backend-directory.ts";
import { BackendPrograms } from "./backend-programs.ts";
import { BackendAccess, BackendView } from "./backend-view.ts";

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
      await view.memory.readBytes(path, { ...range, offset: 0, length: 0 });
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
      const infos = paths.slice(at, at + statsAtOnce).map(async (path) => {
        const [inside] = this.#inside([path]);
        return inside === undefined ? undefined : this.#access.info(inside);
      });
      for (const info of await Promise.all(infos))
        times.push(info?.kind === "file" ? info.modifiedMs : undefined);
    }
    return times;
  }

  async writeFile(path: string, content: Uint8Array, options: WriteOptions = {}): Promise<WriteReceipt> {
    return this.#change([path], options, async (view, announcing) => {
      const { created, info } = await view.memory.writeFile(path, content, announcing);
      const realPath = await view.memory.realPath(path);
      await applyEffects(
        this.#access,
        announcing.effects,
        new Map([[realPath, { content, mode: info.mode }]]),
      );
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
      await applyEffects(this.#access, announcing.effects.slice(0, -2), new Map());
      await this.#access.useReal(source!.realPath, (backend, at) => backend.move(at, target!.realPath));
    });
  }

  async change(
    changes: readonly FileChange[],
    options: ChangeOptions = {},
  ): Promise<readonly ChangeReceipt[]> {
    const paths = changes.flatMap(({ path, like = path }) => [path, like]);
    return this.#change(paths, options, async (view, announcing) => {
      await view.readContents(this.#inside(changes.map(({ path }) => path)));
      const before = contentsBefore(view, changes);
      const receipts = await view.memory.change(changes, announcing);
      const contents = new Map<string, Content>();
      for (const [index, { realPath, after }] of receipts.entries()) {
        const content = changes[index]!.after;
        if (after !== undefined && content !== "nothing")
          contents.set(realPath, { content, mode: after.mode });
      }
      await applyEffects(this.#access, announcing.effects, contents, before);
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
    return BackendView.load(this.#access, this.#inside(paths));
  }

  /** Runs an operation that only reads. */
  async #look<Result>(path: string, act: (view: BackendView) => Promise<Result>): Promise<Result> {
    const view = await this.#view([path]);
    return this.#suggesting(view, [path], () => act(view));
  }

  /** Runs an operation again for an entry that is missing, to report it with the nearest name. */
  async #suggesting<Result>(
    view: BackendView,
    paths: readonly string[],
    act: () => Promise<Result>,
    begun: readonly Effect[] = [],
  ): Promise<Result> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== "not-found" || begun.length > 0) throw error;
      for (const path of this.#inside(paths)) await view.loadNeighbours(path);
      return act();
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
    const release = await this.#turns.take(options.signal ?? never, whileReading(paths[0] ?? "."));
    try {
      const effects: Effect[] = [];
      const announce = (announced: readonly Effect[]) => {
        const answer = options.announce?.(announced);
        if (answer === undefined) effects.push(...announced);
        else
          return answer.then(async () => {
            await this.#refuseChanged(announced);
            effects.push(...announced);
          });
      };
      const view = await this.#view(paths);
      return await this.#suggesting(view, paths, () => act(view, { ...options, announce, effects }), effects);
    } finally {
      release();
    }
  }

  /** Throws `stale` if an entry is no longer as announced. */
  async #refuseChanged(announced: readonly Effect[]): Promise<void> {
    for (const { realPath, before } of announced) {
      const path = this.#relative(realPath);
      const now = await this.#access.info(path);
      if (now === undefined && before === undefined) continue;
      if (now === undefined) throw isStale(path, "gone");
      if (before === undefined) throw isStale(path, "there");
      const isSameFile = now.bytes === before.bytes && now.modifiedMs === before.modifiedMs;
      if (now.kind !== before.kind || (now.kind === "file" && !isSameFile)) throw isStale(path, "changed");
    }
  }

  async #infoNow(realPath: string): Promise<FileInfo> {
    const path = this.#relative(realPath);
    const info = await this.#access.info(path);
    if (info === undefined) throw notFound(path);
    return info;
  }

  /** Leaves out paths that are invalid or lead outside: the operation in memory reports the first of them. */
  #inside(paths: readonly string[]): readonly string[] {
    return paths.flatMap((path) => {
      try {
        return [this.#relative(path)];
      } catch {
        return [];
      }
    });
  }

  #relative(path: string): string {
    return relativeToWorkspace(path, [this.workspace]);
  }
}

const statsAtOnce = 50;

/** The signal of operations that cannot be cancelled. */
const { signal: never } = new AbortController();

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
