import type {
  ChangeReceipt,
  Directory,
  Environment,
  FileContent,
  FileInfo,
  FilesWanted,
  IgnoreFileOutside,
  KnownContents,
  LineRange,
  LineSlice,
  MachineFacts,
  ProcessStartOptions,
  Reaching,
  ReadResult,
  RecoveredChange,
  RunningProcess,
  SandboxReport,
  WalkedPaths,
  WalkWanted,
  WriteReceipt,
} from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { EntryState } from "../../contract/history.ts";
import type { WebAnswer, WebRequest } from "../../contract/web.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { AttackedMachine } from "../../sandbox/proof/prove-boundary.ts";
import { liesInside } from "../../system/workspace-path.ts";
import { type ByteRange, checkByteRange, checkLineRange } from "../check-requests.ts";
import type { Channel } from "./channel.ts";
import { checkRelative, pathsOf } from "./checked-paths.ts";
import { badMessage } from "./message.ts";
import { Peer } from "./peer.ts";
import { callbacks, type Greeting, greeting, targetNotes } from "./protocol.ts";
import { RemoteChanges } from "./remote-changes.ts";
import { RemoteDirectory } from "./remote-directory.ts";
import { RemoteEffects } from "./remote-effects.ts";
import { type CallTarget, callTarget, maxListBytes } from "./remote-process.ts";
import { RemoteProcesses } from "./remote-processes.ts";
import { RemoteReads } from "./remote-reads.ts";

/** The environment of a target. */
export interface TargetEnvironment extends Environment {
  /** The other side of attacks that `doctor` makes there; only when the server was started for them. */
  readonly attacked: AttackedMachine;
}

/** Waits for the greeting of the target, and returns its environment. */
export async function openRemoteEnvironment(
  channel: Channel,
  { greetingMs = 60_000 }: { readonly greetingMs?: number | undefined } = {},
): Promise<TargetEnvironment> {
  const greeted = Promise.withResolvers<Greeting>();
  let environment: RemoteEnvironment | undefined;
  const peer = new Peer(channel, {
    call: (method, value) => {
      if (environment === undefined) throw badMessage("a call comes before the greeting");
      return environment.answer(method, value);
    },
    note: (method, value) => {
      if (environment !== undefined) environment.note(method, value);
      else if (method !== "greeting") throw badMessage("a message comes before the greeting");
      else {
        const given = checkGreeting(value);
        environment = new RemoteEnvironment(peer, given);
        greeted.resolve(given);
      }
    },
    maxBytes: 32 * 1024 * 1024,
    maxArrivingBytes: 128 * 1024 * 1024,
    maxCalls: 1000,
  });
  peer.run().then(
    () => {
      const error = new ToolError("unavailable", "The connection to the target was closed");
      greeted.reject(error);
      environment?.lost(error);
    },
    (error) => {
      greeted.reject(error);
      environment?.lost(error);
    },
  );
  const late = () =>
    greeted.reject(new ToolError("timeout", `The target did not answer in ${greetingMs / 1000} s`));
  const timer = setTimeout(late, greetingMs);
  await greeted.promise.finally(() => clearTimeout(timer));
  return environment!;
}

function checkGreeting(value: unknown): Greeting {
  const given = greeting(value, "greeting");
  const { workspace, home = "/", ownDirectories = [] } = given;
  // These paths are part of the instructions for models.
  if (
    [workspace, home, ...ownDirectories].some((path) => !path.startsWith("/") || printableLine(path) !== path)
  )
    throw badMessage("a directory is not an absolute path of plain characters");
  return given;
}

/** An environment on another machine. Every answer is checked before it is used, because the target may be hostile. */
class RemoteEnvironment implements TargetEnvironment {
  readonly workspace: string;
  readonly home: string | undefined;
  readonly ownDirectories: readonly string[] | undefined;
  readonly recovered: readonly RecoveredChange[] | undefined;
  readonly machine: MachineFacts | undefined;
  readonly runsPrograms: boolean;
  readonly keepsShells: boolean;
  readonly #peer: Peer;
  readonly #call: CallTarget;
  readonly #reads: RemoteReads;
  readonly #changes: RemoteChanges;
  readonly #processes: RemoteProcesses;
  #sandbox: Promise<SandboxReport> | undefined;
  #lastId = 0;

  readonly listEntries: Environment["listEntries"];
  readonly watchEffects: Environment["watchEffects"];
  readonly resumeEffects: Environment["resumeEffects"];
  readonly walk: Environment["walk"];
  readonly search: Environment["search"];
  readonly list: Environment["list"];
  readonly ignoreFilesOutside: Environment["ignoreFilesOutside"];
  readonly sandbox: Environment["sandbox"];
  readonly exchange: Environment["exchange"];

  constructor(peer: Peer, greeting: Greeting) {
    const { workspace, home, ownDirectories, recovered, machine, runsPrograms, abilities } = greeting;
    this.#peer = peer;
    this.#call = callTarget(peer);
    this.#reads = new RemoteReads(this.#call, (realPath, reached) => this.#check(realPath, reached));
    this.#changes = new RemoteChanges(this.#call, (realPath) => this.#inside(realPath));
    this.#processes = new RemoteProcesses({ peer, call: this.#call, takeId: () => this.#takeId() });
    this.workspace = workspace;
    this.home = home;
    this.ownDirectories = ownDirectories;
    this.recovered = recovered;
    this.machine = machine;
    this.runsPrograms = runsPrograms;
    this.keepsShells = runsPrograms;
    const able = <Method>(name: string, method: Method) => (abilities.includes(name) ? method : undefined);
    const effects = new RemoteEffects(this.#call);
    this.listEntries = able("listEntries", (options) => effects.list(options?.signal));
    this.watchEffects = able("watchEffects", (wanted) => effects.watch(wanted));
    this.resumeEffects = able("resumeEffects", (id, wanted) => effects.resume(id, wanted));
    this.walk = able("walk", (directory, wanted) => this.#walk(directory, wanted));
    this.search = able("search", async (wanted, { without = [], signal }) => {
      const found = await this.#call("search", { wanted, without }, { signal, maxBytes: maxListBytes });
      for (const { path } of found.hits) checkRelative(path);
      return found;
    });
    this.list = able("list", (wanted, signal) =>
      this.#call("list", wanted, { signal, maxBytes: maxListBytes }),
    );
    this.ignoreFilesOutside = able("ignoreFilesOutside", () => this.#ignoreFilesOutside());
    this.sandbox = able("sandbox", () => this.#findSandbox());
    this.exchange = able("exchange", (request) => this.#exchange(request));
  }

  readonly attacked: AttackedMachine = {
    prepare: (promise) => this.#call("prepareAttack", { promise }),
    judge: (promise) => this.#call("judgeAttack", { promise }),
  };

  async realPath(path: string): Promise<string> {
    return this.#inside(await this.#call("realPath", { path }));
  }

  async pathOutsideSeenByCommands(path: string): Promise<string | undefined> {
    return (await this.#call("pathOutsideSeenByCommands", { path })).real;
  }

  info(
    path: string,
    { followLinks }: { readonly followLinks?: boolean | undefined } = {},
  ): Promise<FileInfo> {
    return this.#call("info", { path, followLinks });
  }

  readFile(...wanted: Parameters<Environment["readFile"]>): Promise<FileContent> {
    return this.#reads.readFile(...wanted);
  }

  async readBytes(path: string, range: ByteRange): Promise<Uint8Array> {
    checkByteRange(range);
    const { offset, length, reached } = range;
    const { bytes, realPath } = await this.#call("readBytes", { path, offset, length }, { maxBytes: length });
    this.#check(realPath, reached);
    if (bytes.length > length) throw badMessage("more bytes than were asked for");
    return bytes;
  }

  async readLines(path: string, range: LineRange, signal?: AbortSignal): Promise<LineSlice> {
    checkLineRange(range);
    const { first, count, maxBytes, reached } = range;
    const { realPath, ...slice } = await this.#call(
      "readLines",
      { path, first, count, maxBytes },
      { signal, maxBytes },
    );
    this.#check(realPath, reached);
    if (slice.bytes.length > maxBytes || slice.lines > count)
      throw badMessage("more lines than were asked for");
    const { firstLine, totalLines, ...rest } = slice;
    return { ...rest, firstLine, totalLines };
  }

  writeFile(...wanted: Parameters<Environment["writeFile"]>): Promise<WriteReceipt> {
    return this.#changes.writeFile(...wanted);
  }

  delete(...wanted: Parameters<Environment["delete"]>): Promise<void> {
    return this.#changes.delete(...wanted);
  }

  move(...wanted: Parameters<Environment["move"]>): Promise<void> {
    return this.#changes.move(...wanted);
  }

  change(...wanted: Parameters<Environment["change"]>): Promise<readonly ChangeReceipt[]> {
    return this.#changes.change(...wanted);
  }

  changeEntry(...wanted: Parameters<Environment["changeEntry"]>): Promise<void> {
    return this.#changes.changeEntry(...wanted);
  }

  state(path: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<EntryState> {
    return this.#call("state", { path }, { signal });
  }

  async modifiedTimes(
    paths: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly (number | undefined)[]> {
    const times = await this.#call("modifiedTimes", { paths }, { signal, maxBytes: paths.length * 8 });
    if (times.length !== paths.length) throw badMessage("a wrong number of times");
    return Array.from(times, (time) => (Number.isNaN(time) ? undefined : time));
  }

  readFiles(paths: readonly string[], wanted: FilesWanted): Promise<readonly ReadResult[]> {
    return this.#reads.readFiles(paths, wanted);
  }

  useContents(contents: KnownContents): void {
    this.#reads.contents = contents;
  }

  async openDirectory(path: string): Promise<Directory> {
    const id = this.#takeId();
    const opened = await this.#call("openDirectory", { path, as: id });
    return new RemoteDirectory(id, opened, {
      ...{ peer: this.#peer, call: this.#call },
      takeId: () => this.#takeId(),
      inside: (realPath) => this.#inside(realPath),
    });
  }

  start(program: string, options: ProcessStartOptions): Promise<RunningProcess> {
    return this.#processes.start(program, options);
  }

  async close(): Promise<void> {
    await this.#peer.close();
  }

  /** Answers a call of the target: only about a change under way, or about a process that runs. */
  async answer(method: string, value: unknown): Promise<unknown> {
    if (!Object.hasOwn(callbacks, method)) throw badMessage("a call has an unknown method");
    if (method === "announce") {
      const { call, effects } = callbacks.announce.params(value, method);
      return this.#changes.announce(call, effects);
    }
    return this.#processes.answer(method, value);
  }

  note(method: string, value: unknown): void {
    if (method === "greeting" || !Object.hasOwn(targetNotes, method))
      throw badMessage("a message has an unknown name");
    this.#processes.note(method, value);
  }

  lost(error: ToolError): void {
    this.#processes.lost(error);
  }

  #takeId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Refuses a path that leaves the workspace. It never becomes a path of this machine. */
  #inside(realPath: string): string {
    const isNormal = !/\/\.{0,2}(?:\/|$)|\0/.test(realPath) || realPath === "/";
    if (!isNormal || !liesInside(realPath, this.workspace))
      throw badMessage("a path is not inside the workspace");
    return realPath;
  }

  #check(realPath: string, reached: Reaching["reached"]): void {
    // Checked also when the caller does not ask for it.
    const inside = this.#inside(realPath);
    reached?.(inside);
  }

  async #walk(directory: string, { hidden, ignoreFiles, signal }: WalkWanted): Promise<WalkedPaths> {
    const { paths, failed } = await this.#call(
      "walk",
      { directory, hidden, ignoreFiles },
      { signal, maxBytes: maxListBytes },
    );
    return { paths: pathsOf(paths), failed };
  }

  /** The target finds its sandbox once, so its answer stays the same. */
  #findSandbox(): Promise<SandboxReport> {
    this.#sandbox ??= this.#call("sandbox", undefined).catch((error: unknown) => {
      this.#sandbox = undefined;
      throw error;
    });
    return this.#sandbox;
  }

  async #ignoreFilesOutside(): Promise<readonly IgnoreFileOutside[]> {
    return this.#call("ignoreFilesOutside", undefined, { maxBytes: maxIgnoreBytes });
  }

  /** Only a server of a command there may answer. All other requests are made by this machine. */
  async #exchange({ url, method, headers, body, maxBytes, signal }: WebRequest): Promise<WebAnswer> {
    const answer = await this.#call(
      "exchange",
      { url: url.href, method, headers, body, maxBytes },
      { signal, maxBytes: maxBytes + maxHeaderBytes },
    );
    if (answer.body.length > maxBytes) throw badMessage("a page is longer than was asked for");
    return { ...answer, isFromInside: true };
  }
}

const maxIgnoreBytes = 64 * 1024 * 1024;
const maxHeaderBytes = 512 * 1024;
