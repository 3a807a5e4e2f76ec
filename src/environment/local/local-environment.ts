import { closeSync, existsSync, realpathSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type {
  Announcing,
  ChangeOptions,
  ChangeReceipt,
  DeleteOptions,
  Directory,
  EntryChange,
  Environment,
  FileChange,
  FileContent,
  FileInfo,
  IgnoreFileOutside,
  LineRange,
  LineSlice,
  MoveOptions,
  RecoveredChange,
  RunningProcess,
  SandboxReport,
  StartOptions,
  WriteOptions,
  WriteReceipt,
} from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { PathGuard } from "../../contract/guard.ts";
import type { EntryState } from "../../contract/history.ts";
import type { Snapshot, SnapshotOptions } from "../../contract/snapshot.ts";
import type { WebAnswer, WebRequest } from "../../contract/web.ts";
import { throwIfAborted } from "../../lib/abort.ts";
import { monotonicMs } from "../../lib/clock.ts";
import { Turns } from "../../lib/turns.ts";
import type { SandboxOptions } from "../../sandbox/open-sandbox.ts";
import {
  asToolError,
  isNoDirectory,
  isOutputHandle,
  isReadOnlyOutput,
  outsideWorkspace,
} from "../../system/failures.ts";
import { Gate } from "../../system/gate.ts";
import type { Pinning } from "../../system/pinning/pinning.ts";
import { PortablePinning } from "../../system/pinning/portable-pinning.ts";
import { ProcPinning } from "../../system/pinning/proc-pinning.ts";
import { liesInside, relativeToWorkspace, withSlash } from "../../system/workspace-path.ts";
import { LayoutCache } from "../lines/layout-cache.ts";
import { type ByteRange, checkByteRange, checkLineRange } from "../ranges.ts";
import type { ExchangeOptions } from "../web/exchange.ts";
import { Beyond, type LocalReach, withinReach } from "./beyond.ts";
import type { ChangeRecords } from "./changes/change-set.ts";
import { recoverChanges } from "./changes/recover-changes.ts";
import { openers } from "./files/copy-out.ts";
import { deleteEntry } from "./files/delete-entry.ts";
import { fileInfo } from "./files/file-info.ts";
import { HeldDirectory } from "./files/held-directory.ts";
import { readModifiedTimes } from "./files/modified-times.ts";
import { moveEntry } from "./files/move-entry.ts";
import { findExisting, findPlace, realPathOf } from "./files/place.ts";
import { type NamedPath, openForReading, readPatiently, readQuickly } from "./files/read-file.ts";
import { readFileLines } from "./files/read-file-lines.ts";
import { readRange } from "./files/read-range.ts";
import { writeWhole } from "./files/write-file.ts";
import { ignoreFilesOutside } from "./ignore-files-outside.ts";
import type { Programs } from "./processes/find-program.ts";
import type { Starter, StarterOptions } from "./processes/starter.ts";

export interface LocalEnvironmentOptions {
  readonly workspace: string;
  /** The directory of spilled outputs, whose files answer to their handles. */
  readonly outputs?: string;
  /**
   * A private directory for the records of change sets in this workspace, and no other; made when it is needed. What a
   * crash has left of one is settled from it when the environment is opened, and processes that share it take turns.
   * Without it neither is done.
   */
  readonly changeRecords?: string;
  /**
   * A private directory for the names of what is started here, while it runs; made when it is needed. What a process
   * leaves running that is killed can be ended by it: see RunRecords.
   */
  readonly startRecords?: string;
  /** How commands are confined; not at all if not said. */
  readonly sandbox?: SandboxOptions;
  /** Where programs are; a name given as undefined is not available. */
  readonly programs?: Programs;
  /** Refuses paths to everybody who works here; asked about the real path that is reached. */
  readonly guard?: PathGuard;
  /** What files can be reached by name besides those in the workspace; none if not said. */
  readonly reach?: LocalReach;
  /** Who is believed on the web; those whom the system believes if not said. */
  readonly web?: ExchangeOptions;
  /** How directories are held; by handle where the system has /proc. */
  readonly pinning?: "proc" | "portable";
}

/** This machine, seen from one directory. */
export function openLocalEnvironment(options: LocalEnvironmentOptions): Environment {
  return new LocalEnvironment(options);
}

// Calls of the file system are synchronous inside these methods: that takes half as long as its promises do, and
// leaves nobody a moment in between. Whatever may take long pauses for others.
class LocalEnvironment implements Environment {
  readonly workspace: string;
  readonly #spellings: readonly [string, ...string[]];
  readonly #prefix: string;
  readonly #inside: Pinning;
  readonly #beyond: Beyond | undefined;
  readonly recovered: RecoveredChange[] = [];
  readonly #outputs: string | undefined;
  readonly #records: ChangeRecords | undefined;
  /** Of changes that are not all in the workspace. */
  readonly #recordsBeyond: ChangeRecords | undefined;
  #changeFiles: Promise<typeof import("./changes/change-files.ts")> | undefined;
  readonly #hold: (root: string, guard?: PathGuard) => Pinning;
  readonly #layouts = new LayoutCache();
  readonly #directories = new Set<HeldDirectory>();
  readonly #tidied = new Set<string>();
  readonly #starting: StarterOptions;
  readonly #web: ExchangeOptions | undefined;
  readonly #exchanges = new Turns(exchangesAtOnce);
  #starter: Promise<Starter> | undefined;
  #outside: { readonly files: readonly IgnoreFileOutside[]; readonly until: number } = {
    files: [],
    until: 0,
  };

  constructor(options: LocalEnvironmentOptions) {
    this.workspace = realDirectory(options.workspace);
    this.#spellings = [this.workspace, resolve(options.workspace)];
    this.#prefix = withSlash(this.workspace);
    const pinning = options.pinning ?? (canPinByHandle() ? "proc" : "portable");
    const Holding = pinning === "proc" ? ProcPinning : PortablePinning;
    this.#hold = (root, guard) => new Holding(root, new Gate(root, guard));
    this.#inside = this.#hold(this.workspace, options.guard);
    const { reach, guard } = options;
    this.#beyond =
      reach && new Beyond(this.#hold("/", withinReach(reach, this.workspace, guard)), reach, this.#inside);
    this.#outputs = options.outputs;
    const { changeRecords: folder } = options;
    this.#records = folder === undefined ? undefined : this.#keepRecords(folder, this.#inside);
    this.#records?.recover();
    this.#recordsBeyond =
      folder === undefined || this.#beyond === undefined
        ? undefined
        : this.#keepRecords(`${folder}-beyond`, this.#beyond.pinning);
    this.#recordsBeyond?.recover();
    this.#starting = {
      workspace: this.workspace,
      programs: options.programs ?? {},
      records: options.startRecords,
      sandbox: options.sandbox,
    };
    this.#web = options.web;
    // What is kept for undo is shown to nobody.
    const unguarded = new Gate(this.workspace, undefined);
    openers.set(this, (path) => {
      const { pinning, named } = this.#locate(path, { followLinks: true });
      return openForReading(pinning, named, unguarded);
    });
  }

  async realPath(path: string): Promise<string> {
    return this.#reading(path, (pinning, named) => {
      const place = findPlace(pinning, named.absolute, { followLinks: true });
      place.directory.close();
      return realPathOf(place);
    });
  }

  async info(path: string, options: { readonly followLinks?: boolean } = {}): Promise<FileInfo> {
    const { followLinks = true } = options;
    const look = (pinning: Pinning, named: NamedPath) => {
      const place = findExisting(pinning, named.absolute, { followLinks, givenPath: path });
      place.directory.close();
      return fileInfo(place.stats);
    };
    return this.#reading(path, look, { followLinks });
  }

  async readFile(
    path: string,
    options: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<FileContent> {
    let handle: number | undefined;
    try {
      throwIfAborted(options.signal);
      handle = this.#reading(path, openForReading);
      return readQuickly(handle, path, options) ?? (await readPatiently(handle, path, options));
    } catch (error) {
      throw asToolError(error, path);
    } finally {
      if (handle !== undefined) closeSync(handle);
    }
  }

  async readBytes(path: string, range: ByteRange): Promise<Uint8Array> {
    checkByteRange(range);
    return this.#reading(path, (pinning, named) => readRange(pinning, named, range));
  }

  async readLines(path: string, range: LineRange, signal?: AbortSignal): Promise<LineSlice> {
    let handle: number | undefined;
    try {
      checkLineRange(range);
      throwIfAborted(signal);
      handle = this.#reading(path, openForReading);
      return await readFileLines(handle, path, range, { layouts: this.#layouts, signal });
    } catch (error) {
      throw asToolError(error, path);
    } finally {
      if (handle !== undefined) closeSync(handle);
    }
  }

  async writeFile(path: string, content: Uint8Array, options: WriteOptions = {}): Promise<WriteReceipt> {
    return this.#changing(path, { followLinks: true }, ({ pinning, named }) =>
      writeWhole(pinning, named, content, options, this.#tidied),
    );
  }

  async delete(path: string, options: DeleteOptions = {}): Promise<void> {
    return this.#changing(path, { followLinks: false }, ({ pinning, named }) =>
      deleteEntry(pinning, named, options),
    );
  }

  async move(from: string, to: string, options: MoveOptions = {}): Promise<void> {
    return this.#changing(from, { followLinks: false }, (source) =>
      this.#changing(to, { followLinks: false }, (target) => {
        const { pinning, records } = this.#around([source, target]);
        return moveEntry(pinning, source.named, target.named, options, records?.folder);
      }),
    );
  }

  async change(
    changes: readonly FileChange[],
    options: ChangeOptions = {},
  ): Promise<readonly ChangeReceipt[]> {
    // Loaded by the first change, as what starts processes is.
    this.#changeFiles ??= import("./changes/change-files.ts");
    const { changeFiles } = await this.#changeFiles;
    const located = this.#beyond
      ? changes.map(({ path, after }) => this.#toBeChanged(path, { followLinks: after !== "nothing" }))
      : [];
    return changeFiles(changes, {
      ...options,
      ...this.#around(located),
      nameOf: (path) => {
        if (this.#outputOf(path) !== undefined) throw isReadOnlyOutput(path);
        return this.#name(path);
      },
      tidied: this.#tidied,
    });
  }

  async state(path: string, options: { readonly signal?: AbortSignal } = {}): Promise<EntryState> {
    // Loaded by the first use, as what changes files is.
    const { entryState } = await import("./files/entry-state.ts");
    try {
      const look = (pinning: Pinning, named: NamedPath) => entryState(pinning, named, options.signal);
      return await this.#reading(path, look, { followLinks: false });
    } catch (error) {
      throw asToolError(error, path);
    }
  }

  async changeEntry(path: string, change: EntryChange, options: Announcing = {}): Promise<void> {
    const { changeEntry } = await import("./files/change-entry.ts");
    return this.#changing(path, { followLinks: false }, ({ pinning, named }) =>
      changeEntry(pinning, named, change, options),
    );
  }

  async modifiedTimes(
    paths: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly (number | undefined)[]> {
    return readModifiedTimes(this.workspace, paths, signal);
  }

  async snapshot(options: SnapshotOptions = {}): Promise<Snapshot> {
    // Loaded by the first command.
    const { takeSnapshot } = await import("./scan/take-snapshot.ts");
    try {
      const without = [...(options.without ?? []), ...(await this.#stubs())];
      return await takeSnapshot(this.#inside, await this.ignoreFilesOutside(), { ...options, without });
    } catch (error) {
      throw asToolError(error, ".");
    }
  }

  /** What sandboxes have put into the workspace while they are in use: nobody's work. */
  async #stubs(): Promise<readonly string[]> {
    const { sandbox } = this.#starting;
    if (sandbox === undefined) return [];
    const { Placeholders, placeholdersFolder } = await import("../../sandbox/bubblewrap/placeholders.ts");
    return new Placeholders(placeholdersFolder(sandbox.directory)).standing();
  }

  async openDirectory(path: string): Promise<Directory> {
    const open = (pinning: Pinning, named: NamedPath) => {
      // A directory is known by its path in the workspace.
      if (pinning === this.#beyond?.pinning) throw outsideWorkspace(path, this.workspace);
      const place = findExisting(pinning, named.absolute, { followLinks: true, givenPath: path });
      try {
        if (!place.stats.isDirectory()) throw isNoDirectory(path);
        const directory = place.name === "." ? pinning.pin(pinning.root) : place.directory.child(place.name);
        return new HeldDirectory(
          directory,
          named.absolute.slice(this.#prefix.length),
          pinning.gate,
          this.#directories,
        );
      } finally {
        place.directory.close();
      }
    };
    return this.#reading(path, open);
  }

  async ignoreFilesOutside(): Promise<readonly IgnoreFileOutside[]> {
    const now = monotonicMs();
    if (now >= this.#outside.until) {
      this.#outside = { files: ignoreFilesOutside(this.workspace), until: now + outsideMs };
    }
    return this.#outside.files;
  }

  async sandbox(): Promise<SandboxReport> {
    return (await this.#openStarter()).report();
  }

  async start(program: string, options: StartOptions): Promise<RunningProcess> {
    throwIfAborted(options.signal);
    const starter = await this.#openStarter();
    const file = await starter.find(program);
    const directory = (await this.openDirectory(options.cwd ?? ".")) as HeldDirectory;
    try {
      return await starter.start(file, directory, options);
    } finally {
      directory.close();
    }
  }

  async exchange(request: WebRequest): Promise<WebAnswer> {
    const release = await this.#exchanges.take(request.signal, request.url.host);
    try {
      const { exchange } = await import("../web/exchange.ts");
      return await exchange(request, this.#web);
    } finally {
      release();
    }
  }

  async close(): Promise<void> {
    await (await this.#starter)?.close();
    for (const directory of this.#directories) directory.close();
    this.#inside.close();
    this.#beyond?.pinning.close();
  }

  /** Loaded by the first process: node:child_process costs a tenth of the start of a call that needs none. */
  #openStarter(): Promise<Starter> {
    this.#starter ??= import("./processes/starter.ts").then(({ Starter }) => new Starter(this.#starting));
    return this.#starter;
  }

  #keepRecords(folder: string, pinning: Pinning): ChangeRecords {
    const nameOf = (path: string) => relative(this.workspace, withSlash(pinning.root) + path);
    const recover = () => {
      for (const change of recoverChanges(pinning, folder)) {
        const { paths, leftAlone } = change;
        this.recovered.push({ ...change, paths: paths.map(nameOf), leftAlone: leftAlone.map(nameOf) });
      }
    };
    return { folder, recover };
  }

  /** What holds all of several places. */
  #around(
    located: readonly Located[],
  ): Pick<Located, "pinning"> & { readonly records: ChangeRecords | undefined } {
    const beyond = located.find(({ pinning }) => pinning !== this.#inside);
    return beyond === undefined
      ? { pinning: this.#inside, records: this.#records }
      : { pinning: beyond.pinning, records: this.#recordsBeyond };
  }

  /** Where a path is worked on: in the workspace, unless it leads to what can be reached beyond. */
  #locate(path: string, options: { readonly followLinks: boolean }): Located {
    const named = this.#name(path);
    const beyond = this.#beyond;
    if (beyond === undefined) return { pinning: this.#inside, named };
    const isInside = liesInside(named.absolute, this.workspace);
    if (isInside && !beyond.isBehind(named.absolute, options)) return { pinning: this.#inside, named };
    if (!beyond.reaches(named.absolute, options)) throw outsideWorkspace(path, this.workspace);
    return { pinning: beyond.pinning, named };
  }

  #name(path: string): NamedPath {
    try {
      const relative = relativeToWorkspace(path, this.#spellings);
      return { given: path, absolute: relative === "" ? this.workspace : this.#prefix + relative };
    } catch (error) {
      const isOutside = error instanceof ToolError && error.code === "outside-workspace";
      if (!isOutside || this.#beyond === undefined) throw error;
      return { given: path, absolute: resolve(this.workspace, path) };
    }
  }

  #outputOf(path: string): string | undefined {
    if (this.#outputs === undefined || !isOutputHandle(path)) return undefined;
    return existsSync(join(this.#outputs, path)) ? this.#outputs : undefined;
  }

  #reading<Result>(
    path: string,
    act: (pinning: Pinning, named: NamedPath) => Result,
    options: { readonly followLinks: boolean } = { followLinks: true },
  ): Result {
    try {
      const outputs = this.#outputOf(path);
      if (outputs === undefined) {
        const { pinning, named } = this.#locate(path, options);
        return act(pinning, named);
      }
      const pinning = this.#hold(realpathSync.native(outputs));
      try {
        return act(pinning, { given: path, absolute: withSlash(pinning.root) + path });
      } finally {
        pinning.close();
      }
    } catch (error) {
      throw asToolError(error, path);
    }
  }

  async #changing<Result>(
    path: string,
    options: { readonly followLinks: boolean },
    act: (located: Located) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await act(this.#toBeChanged(path, options));
    } catch (error) {
      throw asToolError(error, path);
    }
  }

  #toBeChanged(path: string, options: { readonly followLinks: boolean }): Located {
    if (this.#outputOf(path) !== undefined) throw isReadOnlyOutput(path);
    return this.#locate(path, options);
  }
}

/** A path, and what it is worked on by. */
interface Located {
  readonly pinning: Pinning;
  readonly named: NamedPath;
}

// Looking for ignore files above the workspace takes as long as a small search, and they hardly ever change.
const outsideMs = 1000;

// Each may hold many megabytes until it is read.
const exchangesAtOnce = 8;

function canPinByHandle(): boolean {
  return process.platform === "linux" && existsSync("/proc/self/fd");
}

function realDirectory(path: string): string {
  const hint = "Give an existing directory as the workspace.";
  try {
    const real = realpathSync.native(path);
    if (statSync(real).isDirectory()) return real;
  } catch (cause) {
    const error = asToolError(cause, `The workspace ${path}`);
    throw new ToolError(error.code, error.message, { hint, cause });
  }
  throw new ToolError("unsupported", `The workspace ${path} is not a directory`, { hint });
}
