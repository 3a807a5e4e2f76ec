import { closeSync, openSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { relative, resolve } from "node:path";
import type { Confinement } from "../../contract/confinement.ts";
import type { EffectWatch, WatchWanted } from "../../contract/effects.ts";
import type {
  Announcing,
  ChangedSinceWanted,
  ChangeOptions,
  ChangeReceipt,
  DeleteOptions,
  Directory,
  DirectoryChange,
  EntryChange,
  Environment,
  FileChange,
  FileContent,
  FileInfo,
  HiddenEntry,
  IgnoreFileOutside,
  LineRange,
  LineSlice,
  MoveOptions,
  ProcessStartOptions,
  Reaching,
  RecoveredChange,
  RunningProcess,
  SandboxReport,
  WriteOptions,
  WriteReceipt,
} from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { EntryState } from "../../contract/history.ts";
import type { Snapshot, SnapshotOptions } from "../../contract/snapshot.ts";
import type { WebAnswer, WebRequest } from "../../contract/web.ts";
import { acceptChanges } from "../../engine/sandbox/accepted-changes.ts";
import { throwIfAborted } from "../../lib/async/abort.ts";
import { loadOnce } from "../../lib/async/load-once.ts";
import { Semaphore, whileReading } from "../../lib/async/semaphore.ts";
import { monotonicMs } from "../../lib/clock.ts";
import { setDescriptorCheck } from "../../lib/time-bound.ts";
import type { SandboxOptions } from "../../sandbox/open-sandbox.ts";
import { realPathOf as realPathOfEntry } from "../../sandbox/real-paths.ts";
import { recordFolders } from "../../sandbox/restore-abandoned.ts";
import type { TreeScan } from "../../sandbox/tree-scan.ts";
import { asToolError, isNoDirectory, outsideWorkspace } from "../../system/file-errors.ts";
import type { Programs } from "../../system/find-program.ts";
import { PathChecker } from "../../system/path-checker.ts";
import type { Pinning } from "../../system/pinning.ts";
import { liesInside, withSlash } from "../../system/workspace-path.ts";
import { type ByteRange, checkByteRange, checkLineRange } from "../check-requests.ts";
import { LayoutCache } from "../lines/layout-cache.ts";
import type { ExchangeOptions } from "../web/exchange.ts";
import type { ChangeRecords } from "./changes/change-set.ts";
import { recoverChanges } from "./changes/recover-changes.ts";
import { deleteEntry } from "./files/delete-entry.ts";
import { fileInfo, readModifiedTimes } from "./files/file-info.ts";
import { HeldDirectory } from "./files/held-directory.ts";
import { locateEntry, locateExisting, realPathOf } from "./files/locate-entry.ts";
import { moveEntry } from "./files/move-entry.ts";
import {
  type NamedPath,
  openers,
  openForReading,
  readPatiently,
  readQuickly,
  readRange,
} from "./files/read-file.ts";
import { readFileLines } from "./files/read-file-lines.ts";
import { writeWhole } from "./files/write-file.ts";
import { ignoreFilesOutside } from "./ignore-files-outside.ts";
import { LocalPaths, type LocalPathsOptions, type LocatedPath } from "./local-paths.ts";
import type { StarterOptions } from "./processes/starter.ts";

export interface LocalEnvironmentOptions extends LocalPathsOptions {
  /**
   * A private directory for the records of change sets in this workspace only, created on demand. When the environment
   * is opened, it completes or undoes changes that a crash interrupted. Processes that share the directory take turns.
   * Default: no records.
   */
  readonly changeRecords?: string | undefined;
  /** A private directory for the records of running processes; see RunRecords. Default: no records. */
  readonly startRecords?: string | undefined;
  /** The sandbox of commands. Default: none. */
  readonly sandbox?: SandboxOptions | undefined;
  /** The paths of programs by name. A program with the path undefined is unavailable. */
  readonly programs?: Programs | undefined;
  /** A private directory for the records of watched effects, see `watchEffects`. Default: no records. */
  readonly effectRecords?: string | undefined;
  /** The time that programs have to clean up after SIGTERM, before they are killed. Default: 2 s. */
  readonly graceMs?: number | undefined;
  /** Certificates and name resolution for tests. Default: those of the system. */
  readonly web?: ExchangeOptions | undefined;
}

/** Opens a directory of this machine as the workspace. */
export function openLocalEnvironment(options: LocalEnvironmentOptions): Environment & AsyncDisposable {
  return new LocalEnvironment(options);
}

// File system calls in these methods are synchronous: that takes half as long as promises, and no other code runs in
// between. Long operations yield regularly.
class LocalEnvironment implements Environment, AsyncDisposable {
  readonly workspace: string;
  readonly #paths: LocalPaths;
  readonly recovered: RecoveredChange[] = [];
  readonly #records: ChangeRecords | undefined;
  /** Records of changes that reach outside the workspace. */
  readonly #outsideRecords: ChangeRecords | undefined;
  readonly #changeSet = loadOnce(() => import("./changes/change-set.ts"));
  readonly #layouts = new LayoutCache();
  readonly #directories = new Set<HeldDirectory>();
  readonly #tidied = new Set<string>();
  readonly #starting: StarterOptions;
  readonly #web: ExchangeOptions | undefined;
  readonly #exchanges = new Semaphore(exchangesAtOnce);
  /** Loaded on first use, because loading node:child_process takes a tenth of the time of a short call. */
  readonly #starter = loadOnce(
    async () => new (await import("./processes/starter.ts")).Starter(this.#starting),
  );
  readonly #effectRecords: string | undefined;
  readonly #effects = loadOnce(async () => {
    const { EffectWatches } = await import("../../engine/environment/effects/effect-watches.ts");
    const snapshot = (options: SnapshotOptions) => this.#snapshot(options);
    return new EffectWatches({ environment: this, snapshot, folder: this.#effectRecords });
  });
  #toolChains: readonly string[] | undefined;
  #hidden: TreeScan | undefined;
  #outside: { files: readonly IgnoreFileOutside[]; until: number } = { files: [], until: 0 };

  constructor(options: LocalEnvironmentOptions) {
    this.workspace = realDirectory(options.workspace);
    this.#paths = new LocalPaths(this.workspace, options);
    const { changeRecords: folder } = options;
    const { inside, outside } = this.#paths;
    if (folder !== undefined) {
      this.#records = this.#openRecords(folder, inside);
      if (outside !== undefined) this.#outsideRecords = this.#openRecords(`${folder}-beyond`, outside);
    }
    const { programs = {}, startRecords, sandbox, graceMs, extraRoots } = options;
    // The programs in the user's home are the user's own.
    const writable = extraRoots?.writable?.filter((folder) => !liesInside(homedir(), folder)) ?? [];
    this.#starting = {
      programs,
      sandbox,
      graceMs,
      workspace: this.workspace,
      writable,
      records: startRecords,
    };
    this.#web = options.web;
    this.#effectRecords = options.effectRecords;
    // Content that is stored for undo is not shown to the caller.
    const unguarded = new PathChecker(this.workspace, undefined);
    openers.set(this, (path) => {
      const { pinning, named } = this.#paths.locate(path, { followLinks: true });
      return openForReading(pinning, named, undefined, unguarded);
    });
  }

  async realPath(path: string): Promise<string> {
    return this.#paths.reading(path, (pinning, named) => {
      const location = locateEntry(pinning, named.absolute, { followLinks: true });
      location.directory.close();
      return realPathOf(location);
    });
  }

  async pathOutsideSeenByCommands(path: string): Promise<string | undefined> {
    if (this.#starting.sandbox === undefined) return undefined;
    const real = realPathOfEntry(resolve(this.workspace, path));
    const { isSystemPath, findVisible } = await import("../../engine/sandbox/visible.ts");
    this.#toolChains ??= findVisible({}).toolChains.map(({ source }) => source);
    const isSeen = (found: string) =>
      isSystemPath(found) || this.#toolChains!.some((directory) => liesInside(found, directory));
    return real !== undefined && isSeen(real) ? real : undefined;
  }

  async info(path: string, options: { readonly followLinks?: boolean | undefined } = {}): Promise<FileInfo> {
    const { followLinks = true } = options;
    const look = (pinning: Pinning, named: NamedPath) => {
      const location = locateExisting(pinning, named.absolute, { followLinks, givenPath: path });
      location.directory.close();
      return fileInfo(location.stats);
    };
    return this.#paths.reading(path, look, { followLinks });
  }

  async readFile(path: string, options: Parameters<Environment["readFile"]>[1]): Promise<FileContent> {
    return this.#withFile(
      path,
      options,
      (handle) => readQuickly(handle, path, options) ?? readPatiently(handle, path, options),
    );
  }

  async readBytes(path: string, range: ByteRange): Promise<Uint8Array> {
    checkByteRange(range);
    return this.#paths.reading(path, (pinning, named) => readRange(pinning, named, range));
  }

  async readLines(path: string, range: LineRange, signal?: AbortSignal): Promise<LineSlice> {
    checkLineRange(range);
    return this.#withFile(path, { signal, reached: range.reached }, (handle) =>
      readFileLines(handle, path, range, { layouts: this.#layouts, signal }),
    );
  }

  async writeFile(path: string, content: Uint8Array, options: WriteOptions = {}): Promise<WriteReceipt> {
    const receipt = await this.#paths.changing(path, { followLinks: true }, ({ pinning, named }) =>
      writeWhole(pinning, named, content, options, this.#tidied),
    );
    this.#accept([path]);
    return receipt;
  }

  async delete(path: string, options: DeleteOptions = {}): Promise<void> {
    await this.#paths.changing(path, { followLinks: false }, ({ pinning, named }) =>
      deleteEntry(pinning, named, options),
    );
    this.#accept([path]);
  }

  async move(from: string, to: string, options: MoveOptions = {}): Promise<void> {
    await this.#paths.changing(from, { followLinks: false }, (source) =>
      this.#paths.changing(to, { followLinks: false }, (target) => {
        const { pinning, records } = this.#around([source, target]);
        return moveEntry(pinning, source.named, target.named, options, records?.folder);
      }),
    );
    this.#accept([from, to]);
  }

  async change(
    changes: readonly FileChange[],
    options: ChangeOptions = {},
  ): Promise<readonly ChangeReceipt[]> {
    const { changeFiles } = await this.#changeSet.load();
    const paths = this.#paths;
    const located =
      paths.outside === undefined
        ? []
        : changes.map(({ path, after }) => paths.locateForChange(path, { followLinks: after !== "nothing" }));
    const receipts = await changeFiles(changes, {
      ...options,
      ...this.#around(located),
      nameOf: (path) => {
        paths.refuseOutput(path);
        return paths.name(path);
      },
      tidied: this.#tidied,
    });
    this.#accept(changes.map(({ path }) => path));
    return receipts;
  }

  async state(
    path: string,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<EntryState> {
    const { entryState } = await import("./files/entry-state.ts");
    try {
      const look = (pinning: Pinning, named: NamedPath) => entryState(pinning, named, options.signal);
      return await this.#paths.reading(path, look, { followLinks: false });
    } catch (error) {
      throw asToolError(error, path);
    }
  }

  async changeEntry(path: string, change: EntryChange, options: Announcing = {}): Promise<void> {
    const { changeEntry } = await import("./files/entry-state.ts");
    await this.#paths.changing(path, { followLinks: false }, ({ pinning, named }) =>
      changeEntry(pinning, named, change, options),
    );
    this.#accept([path]);
  }

  async modifiedTimes(
    paths: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly (number | undefined)[]> {
    return readModifiedTimes(this.workspace, paths, signal);
  }

  async changedSince(
    directories: readonly string[],
    wanted: ChangedSinceWanted,
  ): Promise<ReadonlyMap<string, DirectoryChange>> {
    const { changedSince } = await import("./scan/changed-since.ts");
    return changedSince(this.workspace, directories, wanted);
  }

  async listEntries({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<Snapshot> {
    return this.#snapshot({ signal });
  }

  async watchEffects(wanted: WatchWanted): Promise<EffectWatch> {
    return (await this.#effects.load()).watch(wanted);
  }

  async resumeEffects(
    id: string,
    { without }: Pick<WatchWanted, "without">,
  ): Promise<EffectWatch | undefined> {
    return (await this.#effects.load()).resume(id, without);
  }

  async #snapshot(options: SnapshotOptions): Promise<Snapshot> {
    const { takeSnapshot } = await import("./scan/take-snapshot.ts");
    try {
      return await takeSnapshot(this.#paths.inside, await this.ignoreFilesOutside(), options);
    } catch (error) {
      throw asToolError(error, ".");
    }
  }

  /** Keeps the changes of file tools from being held back by commands that run meanwhile. */
  #accept(paths: readonly string[]): void {
    const { sandbox } = this.#starting;
    if (sandbox === undefined) return;
    const absolute = paths.map((path) => resolve(this.workspace, path));
    acceptChanges(
      recordFolders(sandbox.directory).held,
      absolute.map((path) => realPathOfEntry(path) ?? path),
    );
  }

  async openDirectory(path: string): Promise<Directory> {
    const open = (pinning: Pinning, named: NamedPath) => {
      // Directories have paths relative to the workspace.
      if (pinning === this.#paths.outside) throw outsideWorkspace(path, this.workspace);
      const {
        stats,
        name,
        directory: parent,
      } = locateExisting(pinning, named.absolute, {
        followLinks: true,
        givenPath: path,
      });
      try {
        if (!stats.isDirectory()) throw isNoDirectory(path);
        const directory = name === "." ? pinning.pin(pinning.root) : parent.child(name);
        const relativePath = named.absolute.slice(withSlash(this.workspace).length);
        return new HeldDirectory(directory, relativePath, pinning.checker, this.#directories);
      } finally {
        parent.close();
      }
    };
    return this.#paths.reading(path, open);
  }

  async ignoreFilesOutside(): Promise<readonly IgnoreFileOutside[]> {
    const now = monotonicMs();
    if (now >= this.#outside.until)
      this.#outside = { files: ignoreFilesOutside(this.workspace), until: now + outsideMs };
    return this.#outside.files;
  }

  async hiddenEntries(
    rules: Required<Pick<Confinement, "isHidden" | "pathsKey">>,
  ): Promise<readonly HiddenEntry[] | undefined> {
    const { rulesOf, TreeScan } = await import("../../sandbox/tree-scan.ts");
    this.#hidden ??= new TreeScan(this.workspace);
    const { hidden, unnameable, isWhole } = await this.#hidden.scan(rulesOf(rules));
    return isWhole && unnameable.length === 0 ? hidden : undefined;
  }

  async sandbox(): Promise<SandboxReport> {
    return (await this.#starter.load()).report();
  }

  async start(program: string, options: ProcessStartOptions): Promise<RunningProcess> {
    throwIfAborted(options.signal);
    const starter = await this.#starter.load();
    const file = await starter.find(program);
    const { startInTurn } = await import("./processes/start-in-turn.ts");
    return startInTurn(program, { ...options, caller: options.caller ?? this }, async () => {
      const directory = (await this.openDirectory(options.cwd ?? ".")) as HeldDirectory;
      try {
        return await starter.start(file, directory, options);
      } finally {
        directory.close();
      }
    });
  }

  async exchange(request: WebRequest): Promise<WebAnswer> {
    const release = await this.#exchanges.take(request.signal, whileReading(request.url.host));
    try {
      const { exchange } = await import("../web/exchange.ts");
      const connectInside = async (port: number) => (await this.#starter.loaded())?.connect(port);
      return await exchange(request, { ...this.#web, connectInside });
    } finally {
      release();
    }
  }

  async listens(port: number): Promise<boolean> {
    return (await (await this.#starter.loaded())?.listens(port)) ?? false;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    await (await this.#starter.loaded())?.close();
    for (const directory of this.#directories) directory.close();
    this.#paths.close();
  }

  async #withFile<Result>(
    path: string,
    { signal, reached }: Reaching & { readonly signal?: AbortSignal | undefined },
    act: (handle: number) => Result | Promise<Result>,
  ): Promise<Result> {
    throwIfAborted(signal);
    const handle = this.#paths.reading(path, (pinning, named) => openForReading(pinning, named, reached));
    try {
      return await act(handle);
    } catch (error) {
      throw asToolError(error, path);
    } finally {
      closeSync(handle);
    }
  }

  /** Opens the records of changes, and completes or undoes changes that a crash interrupted. */
  #openRecords(folder: string, pinning: Pinning): ChangeRecords {
    const nameOf = (path: string) => relative(this.workspace, withSlash(pinning.root) + path);
    const recover = () => {
      for (const change of recoverChanges(pinning, folder)) {
        const { paths, leftAlone } = change;
        this.recovered.push({ ...change, paths: paths.map(nameOf), leftAlone: leftAlone.map(nameOf) });
      }
    };
    recover();
    return { folder, recover };
  }

  /** Returns the pinned tree that contains all of several paths, and the records of changes in it. */
  #around(
    located: readonly LocatedPath[],
  ): Pick<LocatedPath, "pinning"> & { readonly records: ChangeRecords | undefined } {
    const outside = located.find(({ pinning }) => pinning !== this.#paths.inside);
    return outside === undefined
      ? { pinning: this.#paths.inside, records: this.#records }
      : { pinning: outside.pinning, records: this.#outsideRecords };
  }
}

// Looking for ignore files above the workspace takes as long as a small search, and they rarely change.
const outsideMs = 1000;

// Each answer may take many megabytes until it is read.
const exchangesAtOnce = 8;

function realDirectory(path: string): string {
  const hint = "Choose an existing directory as the workspace.";
  try {
    const real = realpathSync.native(path);
    if (statSync(real).isDirectory()) return real;
  } catch (cause) {
    const error = asToolError(cause, `The workspace ${path}`);
    throw new ToolError(error.code, error.message, { hint, cause });
  }
  throw new ToolError("unsupported", `The workspace ${path} is not a directory`, { hint });
}

setDescriptorCheck(requireFreeDescriptors);

/** Throws EMFILE or ENFILE when fewer than `count` descriptors are free. */
function requireFreeDescriptors(count: number): void {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync("/dev/null", "r"));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
