import { closeSync, existsSync, fstatSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type {
  Directory,
  Environment,
  FileContent,
  FileInfo,
  LineRange,
  LineSlice,
  RunningProcess,
  StartOptions,
  WriteOptions,
  WriteReceipt,
} from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { Breath } from "../breath.ts";
import { asToolError, isNoDirectory, isOutputHandle, isReadOnlyOutput, keepsChanging } from "../failures.ts";
import { LayoutCache } from "../lines/layout-cache.ts";
import { refuseBadRange, sliceLines } from "../lines/read-lines.ts";
import { relativeToWorkspace, withSlash } from "../workspace-path.ts";
import { deleteEntry } from "./files/delete-entry.ts";
import { fileInfo } from "./files/file-info.ts";
import { HeldDirectory } from "./files/held-directory.ts";
import { moveEntry } from "./files/move-entry.ts";
import { findExisting, findPlace, realPathOf } from "./files/place.ts";
import { type NamedPath, openForReading, readFully, readWhole, refuseUnlessFile } from "./files/read-file.ts";
import { writeWhole } from "./files/write-file.ts";
import type { Pinning } from "./pinning/pinning.ts";
import { PortablePinning } from "./pinning/portable-pinning.ts";
import { ProcPinning } from "./pinning/proc-pinning.ts";
import { ProgramFinder, type Programs } from "./processes/find-program.ts";
import { startProcess } from "./processes/start-process.ts";
import { allowedVariables } from "./processes/variables.ts";

export interface LocalEnvironmentOptions {
  readonly workspace: string;
  /** The directory of spilled outputs, whose files answer to their handles. */
  readonly outputs?: string;
  /** Where programs are; a name given as undefined is not available. */
  readonly programs?: Programs;
  /** How directories are held; by handle where the system has /proc. */
  readonly pinning?: "proc" | "portable";
}

/** This machine, seen from one directory. */
export function openLocalEnvironment(options: LocalEnvironmentOptions): Environment {
  return new LocalEnvironment(options);
}

class LocalEnvironment implements Environment {
  readonly workspace: string;
  readonly #spellings: readonly [string, ...string[]];
  readonly #outputs: string | undefined;
  readonly #pinning: (root: string) => Pinning;
  readonly #inside: Pinning;
  readonly #programs: ProgramFinder;
  readonly #layouts = new LayoutCache();
  readonly #directories = new Set<HeldDirectory>();
  readonly #processes = new Set<RunningProcess>();

  constructor(options: LocalEnvironmentOptions) {
    this.workspace = realWorkspace(options.workspace);
    this.#spellings = [this.workspace, resolve(options.workspace)];
    this.#outputs = options.outputs;
    const byHandle = (options.pinning ?? (process.platform === "linux" ? "proc" : "portable")) === "proc";
    this.#pinning = (root) => (byHandle ? new ProcPinning(root) : new PortablePinning(root));
    this.#inside = this.#pinning(this.workspace);
    this.#programs = new ProgramFinder(options.programs ?? {}, this.workspace);
  }

  async realPath(path: string): Promise<string> {
    return this.#reading(path, (pinning, named) => {
      const place = findPlace(pinning, named.absolute, { followLinks: true });
      place.directory.close();
      return realPathOf(place);
    });
  }

  async info(path: string, options: { readonly followLinks?: boolean } = {}): Promise<FileInfo> {
    return this.#reading(path, (pinning, named) => {
      const followLinks = options.followLinks ?? true;
      const place = findExisting(pinning, named.absolute, { followLinks, givenPath: path });
      place.directory.close();
      return fileInfo(place.stats);
    });
  }

  async readFile(
    path: string,
    options: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<FileContent> {
    return this.#readingFile(path, (handle) => readWhole(handle, path, options));
  }

  async readLines(path: string, range: LineRange, signal?: AbortSignal): Promise<LineSlice> {
    refuseBadRange(range);
    return this.#readingFile(path, async (handle) => {
      let before = fstatSync(handle);
      refuseUnlessFile(before, path);
      for (let tries = 0; tries < 3; tries += 1) {
        const source = { size: before.size, read: readFully.bind(undefined, handle) };
        const layout = this.#layouts.find(source, before);
        const breath = new Breath(signal);
        const slice = await sliceLines(source, layout, range, { breath, info: fileInfo(before) });
        const after = fstatSync(handle);
        const unchanged = after.size === before.size && after.mtimeMs === before.mtimeMs;
        if (unchanged || after.size > before.size) {
          this.#layouts.keep(layout, before);
          return slice;
        }
        before = after;
      }
      throw keepsChanging(path);
    });
  }

  async writeFile(path: string, content: Uint8Array, options: WriteOptions = {}): Promise<WriteReceipt> {
    return this.#changing(path, (named) => writeWhole(this.#inside, named, content, options));
  }

  async delete(path: string, options: { readonly recursive?: boolean } = {}): Promise<void> {
    return this.#changing(path, (named) => deleteEntry(this.#inside, named, options));
  }

  async move(from: string, to: string, options: { readonly replace?: boolean } = {}): Promise<void> {
    return this.#changing(from, (source) =>
      this.#changing(to, (target) => moveEntry(this.#inside, source, target, options)),
    );
  }

  async openDirectory(path: string): Promise<Directory> {
    return this.#reading(path, (pinning, named) => {
      const place = findExisting(pinning, named.absolute, { followLinks: true, givenPath: path });
      try {
        if (!place.stats.isDirectory()) throw isNoDirectory(path);
        const directory = place.name === "." ? pinning.pin(pinning.root) : place.directory.child(place.name);
        return new HeldDirectory(
          directory,
          named.absolute.slice(withSlash(pinning.root).length),
          this.#directories,
        );
      } finally {
        place.directory.close();
      }
    });
  }

  async start(program: string, options: StartOptions): Promise<RunningProcess> {
    const file = await this.#programs.find(program);
    const cwd = options.cwd ?? ".";
    const named = this.#name(cwd);
    try {
      const directory = this.#inside.pin(named.absolute);
      try {
        const env = { ...allowedVariables(process.env), PWD: directory.realPath, ...options.env };
        const started = await startProcess(file, { ...options, cwd: directory.at("."), env });
        this.#processes.add(started);
        void started.exit.then(() => this.#processes.delete(started));
        return started;
      } finally {
        directory.close();
      }
    } catch (error) {
      throw asToolError(error, cwd);
    }
  }

  async close(): Promise<void> {
    const running = [...this.#processes];
    for (const process of running) process.stop();
    await Promise.all(running.map((process) => process.exit));
    for (const directory of this.#directories) directory.close();
    this.#inside.close();
  }

  #name(path: string): NamedPath {
    const relative = relativeToWorkspace(path, this.#spellings);
    return { given: path, absolute: relative === "" ? this.workspace : withSlash(this.workspace) + relative };
  }

  #isOutput(path: string): path is string {
    return isOutputHandle(path) && this.#outputs !== undefined && existsSync(resolve(this.#outputs, path));
  }

  #reading<Result>(path: string, act: (pinning: Pinning, named: NamedPath) => Result): Result {
    try {
      if (this.#isOutput(path)) {
        const outputs = this.#pinning(realpathSync(this.#outputs!));
        return act(outputs, { given: path, absolute: withSlash(outputs.root) + path });
      }
      return act(this.#inside, this.#name(path));
    } catch (error) {
      throw asToolError(error, path);
    }
  }

  async #readingFile<Result>(path: string, act: (handle: number) => Promise<Result>): Promise<Result> {
    const handle = this.#reading(path, openForReading);
    try {
      return await act(handle);
    } catch (error) {
      throw asToolError(error, path);
    } finally {
      closeSync(handle);
    }
  }

  async #changing<Result>(
    path: string,
    act: (named: NamedPath) => Promise<Result> | Result,
  ): Promise<Result> {
    try {
      if (this.#isOutput(path)) throw isReadOnlyOutput(path);
      return await act(this.#name(path));
    } catch (error) {
      throw asToolError(error, path);
    }
  }
}

function realWorkspace(path: string): string {
  const problem = (message: string) =>
    new ToolError("invalid-input", message, { hint: "Give an existing directory as the workspace." });
  try {
    const real = realpathSync.native(path);
    if (statSync(real).isDirectory()) return real;
  } catch (_error) {
    throw problem(`The workspace ${path} does not exist or cannot be reached`);
  }
  throw problem(`The workspace ${path} is not a directory`);
}
