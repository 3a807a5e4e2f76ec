import { tmpdir } from "node:os";
import { resolve } from "node:path";
import type {
  Announcing,
  ChangeOptions,
  ChangeReceipt,
  DeleteOptions,
  Directory,
  DirectoryEntry,
  Effect,
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
import { errorWith, ToolError } from "../../contract/error.ts";
import type { EntryState } from "../../contract/history.ts";
import type { WebAnswer, WebRequest } from "../../contract/web.ts";
import {
  asToolError,
  errnoOf,
  isDirectory,
  isNoDirectory,
  notFound,
  programUnavailable,
} from "../../system/file-errors.ts";
import { liesInside, relativeToWorkspace, singleName } from "../../system/workspace-path.ts";
import { MemoryEnvironment, openLocalEnvironment } from "../../toolcrib/index.ts";
import { type ExecutionEnvironment, insideTool } from "./execution-environment.ts";

/**
 * The engine's view of an ExecutionEnvironment: every file that a tool reads or changes passes through its methods. An
 * operation copies the files that it concerns into memory, runs there with all its checks, and is then repeated through
 * the environment. The interface has no modes, links or locks, so there are none here.
 */
export class AdaptedEnvironment implements Environment {
  readonly workspace: string;
  /** Commands run through `execCommand`. */
  readonly runsPrograms = false;
  readonly #inner: ExecutionEnvironment;
  /** For the web, which the interface does not concern. */
  #host: ReturnType<typeof openLocalEnvironment> | undefined;

  constructor(inner: ExecutionEnvironment) {
    this.#inner = inner;
    this.workspace = resolve(inner.workingDirectory);
    if (this.workspace === "/")
      throw new ToolError("invalid-input", "The working directory of an environment cannot be /", {
        hint: "Set `workingDirectory` to the folder of the project.",
      });
  }

  async realPath(path: string): Promise<string> {
    const relative = this.#relative(path);
    return relative === "" ? this.workspace : `${this.workspace}/${relative}`;
  }

  async info(path: string): Promise<FileInfo> {
    const loaded = await this.#load([path]);
    if (loaded.get(this.#relative(path)) === undefined && (await this.#filesBelow(path)).length > 0)
      return { kind: "directory", bytes: 0, modifiedMs: 0, mode: 0o755 };
    return timeless(await this.#copyOf(loaded).info(path));
  }

  async readFile(path: string, options: Parameters<Environment["readFile"]>[1]): Promise<FileContent> {
    const { bytes, info } = await (await this.#copy([path])).readFile(path, options);
    return { bytes, info: timeless(info) };
  }

  async readBytes(path: string, range: Parameters<Environment["readBytes"]>[1]): Promise<Uint8Array> {
    // A read of no bytes only checks the permission.
    if (range.length > 0) return (await this.#copy([path])).readBytes(path, range);
    range.reached?.(await this.realPath(path));
    return new Uint8Array();
  }

  async readLines(path: string, range: LineRange, signal?: AbortSignal): Promise<LineSlice> {
    const slice = await (await this.#copy([path])).readLines(path, range, signal);
    return { ...slice, info: timeless(slice.info) };
  }

  async state(path: string, options?: { readonly signal?: AbortSignal }): Promise<EntryState> {
    return (await this.#copy([path])).state(path, options);
  }

  async modifiedTimes(paths: readonly string[]): Promise<readonly number[]> {
    return paths.map(() => 0);
  }

  async writeFile(path: string, content: Uint8Array, options: WriteOptions = {}): Promise<WriteReceipt> {
    const text = textOf(path, content);
    const copy = await this.#copy([path]);
    const receipt = await copy.writeFile(path, content, { ...options, ...filesOnly(options) });
    await this.use(path, "writeFile", (inner, name) => inner.writeFile(name, text));
    return receipt;
  }

  async delete(path: string, options: DeleteOptions = {}): Promise<void> {
    const copy = await this.#copy([path]);
    if ((await copy.info(path)).kind === "directory") throw isDirectory(path);
    await copy.delete(path, { ...options, ...filesOnly(options) });
    await this.use(path, "deleteFile", (inner, name) => inner.deleteFile(name));
  }

  async move(from: string, to: string, options: MoveOptions = {}): Promise<void> {
    const copy = await this.#copy([from, to]);
    await copy.move(from, to, { ...options, ...filesOnly(options) });
    await this.use(from, "moveFile", (inner, name) => inner.moveFile(name, this.#relative(to)));
  }

  async change(
    changes: readonly FileChange[],
    options: ChangeOptions = {},
  ): Promise<readonly ChangeReceipt[]> {
    const paths = changes.flatMap(({ path, like = path }) => [path, like]);
    const loaded = await this.#load(paths);
    const steps = stepsOf(changes, loaded, (path) => this.#relative(path));
    const copy = this.#copyOf(loaded);
    const receipts = await copy.change(changes, { ...options, ...filesOnly(options) });
    const begun: Step[] = [];
    try {
      for (const step of steps) {
        begun.unshift(step);
        await this.#take(step);
      }
    } catch (error) {
      throw await this.#restore(begun, loaded, error as ToolError);
    }
    return receipts;
  }

  async changeEntry(path: string): Promise<void> {
    throw new ToolError("unsupported", `${path} cannot be changed: this environment can only change files`, {
      hint: "Use a command.",
    });
  }

  /** Opens a directory, which is made from a listing of all files below it. */
  async openDirectory(path: string): Promise<Directory> {
    const relative = this.#relative(path);
    const files = await this.#filesBelow(path);
    if (files.length === 0 && relative !== "") {
      const entry = (await this.#load([path])).get(relative);
      if (entry === undefined) throw notFound(path);
      if (entry !== "directory") throw isNoDirectory(path);
    }
    return new ListedDirectory(this, relative, files);
  }

  async start(program: string): Promise<RunningProcess> {
    throw programUnavailable(program);
  }

  async exchange(request: WebRequest): Promise<WebAnswer> {
    this.#host ??= openLocalEnvironment({ workspace: tmpdir() });
    return this.#host.exchange!(request);
  }

  async close(): Promise<void> {
    await this.#host?.close();
  }

  /** Calls a method of the inner environment. Paths are relative to its working directory. */
  async use<Result>(
    path: string,
    method: keyof ExecutionEnvironment,
    act: (inner: ExecutionEnvironment, name: string) => Promise<Result>,
  ): Promise<Result> {
    const name = this.#relative(path);
    if (typeof this.#inner[method] !== "function")
      throw new ToolError("unsupported", `The environment has no method \`${method}\``, {
        hint: "Implement all methods of `ExecutionEnvironment`.",
      });
    try {
      return await insideTool.run(true, () => act(this.#inner, name));
    } catch (error) {
      throw asToolError(error, path);
    }
  }

  async #take({ path, from, text }: Step): Promise<void> {
    if (from !== undefined)
      await this.use(from, "moveFile", (inner, name) => inner.moveFile(name, this.#relative(path)));
    else if (text === undefined) await this.use(path, "deleteFile", (inner, name) => inner.deleteFile(name));
    if (text !== undefined)
      await this.use(path, "writeFile", (inner, name) => inner.writeFile(name, text.content));
  }

  /** Writes the old contents again. The error names the files for which that failed. */
  async #restore(begun: readonly Step[], loaded: Loaded, error: ToolError): Promise<ToolError> {
    const failed: string[] = [];
    for (const path of begun.flatMap(({ path, from = path }) => [...new Set([path, from])])) {
      const before = loaded.get(this.#relative(path));
      try {
        if (typeof before === "object")
          await this.use(path, "writeFile", (inner, name) => inner.writeFile(name, before.content));
        else if (await this.use(path, "fileExists", (inner, name) => inner.fileExists(name)))
          await this.use(path, "deleteFile", (inner, name) => inner.deleteFile(name));
      } catch {
        failed.push(path);
      }
    }
    if (failed.length === 0) return error;
    return errorWith(error, { message: `${error.message}; not restored: ${failed.join(", ")}` });
  }

  async #filesBelow(path: string): Promise<readonly string[]> {
    const below = this.#relative(path);
    const found = await this.use(path, "glob", (inner) => inner.glob("**/*", below || "."));
    return found
      .map((each) => this.#relative(each))
      .filter((each) => below === "" || liesInside(each, below));
  }

  async #copy(paths: readonly string[]): Promise<MemoryEnvironment> {
    return this.#copyOf(await this.#load(paths));
  }

  #copyOf(loaded: Loaded): MemoryEnvironment {
    const files = [...loaded].flatMap(([path, entry]) =>
      typeof entry === "object" ? [[path, entry.content] as const] : [],
    );
    const directories = [...loaded].flatMap(([path, entry]) => (entry === "directory" ? [path] : []));
    return new MemoryEnvironment({
      workspace: this.workspace,
      files: Object.fromEntries(files),
      directories: directories.filter((path) => path !== ""),
    });
  }

  async #load(paths: readonly string[]): Promise<Loaded> {
    const names = [...new Set(paths.map((path) => this.#relative(path)))];
    return new Map(await Promise.all(names.map(async (name) => [name, await this.#entry(name)] as const)));
  }

  async #entry(name: string): Promise<Entry> {
    if (name === "") return "directory";
    try {
      return { content: await this.use(name, "readFile", (inner) => inner.readFile(name)) };
    } catch (error) {
      const { code, cause } = error as ToolError;
      const isThere = await this.use(name, "fileExists", (inner) => inner.fileExists(name));
      if (!isThere) return undefined;
      if (errnoOf(cause) === "EISDIR" || code === "unsupported") return "directory";
      throw error;
    }
  }

  #relative(path: string): string {
    return relativeToWorkspace(path, [this.workspace]);
  }
}

/** The entry at a path; undefined when there is none. */
type Entry = Text | "directory" | undefined;
type Loaded = ReadonlyMap<string, Entry>;

interface Text {
  readonly content: string;
}

/** One change through the environment. Without a text and a source the file is deleted. */
interface Step {
  readonly path: string;
  /** The path from which the file is moved. */
  readonly from?: string;
  readonly text?: Text;
}

/** Returns the steps of a change. A deleted file whose content appears at a new path is moved. */
function stepsOf(
  changes: readonly FileChange[],
  loaded: Loaded,
  relative: (path: string) => string,
): readonly Step[] {
  const deleted = new Set(changes.filter(({ after }) => after === "nothing").map(({ path }) => path));
  const moved = new Set(changes.map(({ like }) => like).filter((like) => deleted.has(like ?? "")));
  return changes.flatMap(({ path, after, like }): readonly Step[] => {
    if (after === "nothing") return moved.has(path) ? [] : [{ path }];
    const from = moved.has(like) ? like : undefined;
    const before = loaded.get(relative(from ?? path));
    const content = textOf(path, after);
    const isSame = typeof before === "object" && before.content === content;
    if (from === undefined) return isSame ? [] : [{ path, text: { content } }];
    return [{ path, from, text: isSame ? undefined : { content } }];
  });
}

function textOf(path: string, content: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new ToolError(
      "unsupported",
      `${path} would not be UTF-8 text, which is all this environment writes`,
      {
        hint: "Write text, or use a command.",
      },
    );
  }
}

/** Removes the time: the interface does not say when a file was changed, so contents are compared instead. */
function timeless(info: FileInfo): FileInfo {
  return { ...info, modifiedMs: 0 };
}

/** Announces only files, because directories exist only as parts of paths. */
function filesOnly({ announce }: Announcing): Announcing {
  if (announce === undefined) return {};
  const isFile = ({ before, after }: Effect) => (after ?? before)?.kind !== "directory";
  return {
    announce: (effects) =>
      announce(
        effects.filter(isFile).map(({ before, after, ...effect }) => ({
          ...effect,
          before: before && timeless(before),
          after: after && timeless(after),
        })),
      ),
  };
}

/** A directory that is known only from a list of files. */
class ListedDirectory implements Directory {
  readonly path: string;
  readonly #environment: AdaptedEnvironment;
  readonly #files: readonly string[];

  constructor(environment: AdaptedEnvironment, path: string, files: readonly string[]) {
    this.#environment = environment;
    this.path = path;
    this.#files = files;
  }

  async entries(): Promise<readonly DirectoryEntry[]> {
    const below = this.#at("");
    const kinds = new Map<string, DirectoryEntry["kind"]>();
    for (const file of this.#files) {
      if (!file.startsWith(below)) continue;
      const [name = "", ...rest] = file.slice(below.length).split("/");
      if (rest.length > 0 || !kinds.has(name)) kinds.set(name, rest.length > 0 ? "directory" : "file");
    }
    return Array.from(kinds, ([name, kind]) => ({ name, kind }));
  }

  async openDirectory(name: string): Promise<Directory> {
    return new ListedDirectory(this.#environment, this.#at(singleName(name)), this.#files);
  }

  async info(name: string): Promise<FileInfo> {
    const kind = (await this.entries()).find((entry) => entry.name === name)?.kind;
    if (kind === "directory") return { kind, bytes: 0, modifiedMs: 0, mode: 0o755 };
    return this.#environment.info(this.#at(singleName(name)));
  }

  async readFile(name: string, maxBytes: number): Promise<Uint8Array | undefined> {
    const { bytes } = await this.#environment.readFile(this.#at(singleName(name)), {
      maxBytes: Number.MAX_SAFE_INTEGER,
    });
    return bytes.length > maxBytes ? undefined : bytes;
  }

  close(): void {}

  #at(name: string): string {
    return this.path === "" ? name : `${this.path}/${name}`;
  }
}
