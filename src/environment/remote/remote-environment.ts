import type { Confinement } from "../../contract/confinement.ts";
import type {
  Announcing,
  ChangeOptions,
  ChangeReceipt,
  CommandInShell,
  DeleteOptions,
  Directory,
  Effect,
  EntryChange,
  Environment,
  FileChange,
  FileContent,
  FileInfo,
  FilesWanted,
  IgnoreFileOutside,
  LineRange,
  LineSlice,
  MachineFacts,
  MoveOptions,
  ProcessStartOptions,
  Reaching,
  ReadResult,
  RecoveredChange,
  RunningProcess,
  SandboxReport,
  WalkedPaths,
  WalkWanted,
  WriteOptions,
  WriteReceipt,
} from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { EntryState } from "../../contract/history.ts";
import type { WebAnswer, WebRequest } from "../../contract/web.ts";
import { throwIfAborted } from "../../lib/async/abort.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { AttackedMachine } from "../../sandbox/proof/prove-boundary.ts";
import { liesInside } from "../../system/workspace-path.ts";
import { type ByteRange, checkByteRange, checkLineRange } from "../check-requests.ts";
import type { Channel } from "./channel.ts";
import { errorOf } from "./errors.ts";
import { badMessage } from "./message.ts";
import { Peer } from "./peer.ts";
import {
  callbacks,
  type Greeting,
  greeting,
  protocolVersion,
  type effects as sentEffects,
  targetNotes,
} from "./protocol.ts";
import { RemoteDirectory } from "./remote-directory.ts";
import {
  type CallTarget,
  callTarget,
  maxListBytes,
  RemoteProcess,
  sendConfinement,
} from "./remote-process.ts";
import { RemoteSnapshots } from "./remote-snapshots.ts";
import type { Shaped } from "./shapes.ts";
import { checkRelative, pathsOf } from "./snapshot-columns.ts";

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
  const version = (value as { readonly version?: unknown } | null)?.version;
  if (version !== protocolVersion)
    throw badMessage(`it speaks version ${version} of the protocol instead of ${protocolVersion}`);
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
  readonly #changes = new Map<number, PendingChange>();
  readonly #processes = new Map<number, StartedProcess>();
  readonly #callers = new WeakMap<object, number>();
  #sandbox: Promise<SandboxReport> | undefined;
  #lastId = 0;

  readonly snapshot: Environment["snapshot"];
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
    this.workspace = workspace;
    this.home = home;
    this.ownDirectories = ownDirectories;
    this.recovered = recovered;
    this.machine = machine;
    this.runsPrograms = runsPrograms;
    this.keepsShells = runsPrograms;
    const able = <Method>(name: string, method: Method) => (abilities.includes(name) ? method : undefined);
    const snapshots = new RemoteSnapshots(this.#call);
    this.snapshot = able("snapshot", (options) => snapshots.take(options));
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

  info(
    path: string,
    { followLinks }: { readonly followLinks?: boolean | undefined } = {},
  ): Promise<FileInfo> {
    return this.#call("info", { path, followLinks });
  }

  async readFile(path: string, options: Parameters<Environment["readFile"]>[1]): Promise<FileContent> {
    const { maxBytes, signal, reached } = options;
    const answer = await this.#call("readFile", { path, maxBytes }, { signal, maxBytes });
    const { bytes, info, realPath } = answer;
    this.#check(realPath, reached);
    if (bytes.length > maxBytes) throw badMessage("a file is longer than was asked for");
    return { bytes, info };
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

  writeFile(path: string, content: Uint8Array, options: WriteOptions = {}): Promise<WriteReceipt> {
    const { announce, signal, ifExists, durable, mode } = options;
    return this.#change({ announce, leastEffects: 1 }, signal, (announces, call) =>
      this.#call("writeFile", { path, content, announces, ifExists, durable, mode }, call),
    );
  }

  async delete(path: string, { announce, signal, recursive }: DeleteOptions = {}): Promise<void> {
    await this.#change({ announce, leastEffects: 1, inParts: recursive }, signal, (announces, call) =>
      this.#call("delete", { path, announces, recursive }, call),
    );
  }

  async move(from: string, to: string, { announce, signal, replace }: MoveOptions = {}): Promise<void> {
    await this.#change({ announce, leastEffects: 2 }, signal, (announces, call) =>
      this.#call("move", { from, to, announces, replace }, call),
    );
  }

  async change(
    changes: readonly FileChange[],
    { announce, signal, durable }: ChangeOptions = {},
  ): Promise<readonly ChangeReceipt[]> {
    const receipts = await this.#change(
      { announce, leastEffects: changes.length },
      signal,
      (announces, call) =>
        this.#call(
          "change",
          { changes, announces, durable },
          { ...call, maxBytes: answerBytes(changes.length) },
        ),
    );
    if (receipts.length !== changes.length) throw badMessage("a change has a wrong number of receipts");
    return receipts.map(({ realPath, before, after }) => ({
      realPath: this.#inside(realPath),
      before,
      after,
    }));
  }

  state(path: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<EntryState> {
    return this.#call("state", { path }, { signal });
  }

  async changeEntry(path: string, { before, after }: EntryChange, options: Announcing = {}): Promise<void> {
    await this.#change({ announce: options.announce, leastEffects: 0 }, undefined, (announces, call) =>
      this.#call("changeEntry", { path, announces, before, after }, call),
    );
  }

  async modifiedTimes(
    paths: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly (number | undefined)[]> {
    const times = await this.#call("modifiedTimes", { paths }, { signal, maxBytes: paths.length * 8 });
    if (times.length !== paths.length) throw badMessage("a wrong number of times");
    return Array.from(times, (time) => (Number.isNaN(time) ? undefined : time));
  }

  async readFiles(
    paths: readonly string[],
    { maxFileBytes, maxBytes, known, signal }: FilesWanted,
  ): Promise<readonly ReadResult[]> {
    const asked = paths.slice(0, mostFilesAtOnce);
    const hashes = known && asked.map((path) => known.get(path) ?? "");
    const results = await this.#call(
      "readFiles",
      { paths: asked, maxFileBytes, maxBytes, known: hashes },
      { signal, maxBytes: maxBytes + maxFileBytes + asked.length * 40 },
    );
    if (results.length > asked.length || (results.length === 0 && asked.length > 0))
      throw badMessage("a wrong number of files");
    return results;
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

  async start(program: string, options: ProcessStartOptions): Promise<RunningProcess> {
    const { signal, confinement: given, caller, args, cwd, env, input, terminal, shell } = options;
    const { reachable, leavesFiles, ownDirectory } = options;
    const confinement = given === "ours" ? undefined : given;
    const sent = given === "ours" ? "ours" : confinement && sendConfinement(confinement);
    const process = await this.#begin({ confinement, signal }, async (id, process) => {
      const params = { as: id, program, args, cwd, env, input, terminal, shell, reachable, leavesFiles };
      const started = await this.#call(
        "start",
        { ...params, ownDirectory, confinement: sent, caller: caller && this.#callerId(caller) },
        { signal, onAbort: "wait" },
      );
      Object.assign(process, started);
      if (shell) process.runCommand = (command) => this.#runCommand(id, process, command);
    });
    return process;
  }

  async close(): Promise<void> {
    await this.#peer.close();
  }

  /** Answers a call of the target: only about a change under way, or about a process that runs. */
  async answer(method: string, value: unknown): Promise<unknown> {
    if (!Object.hasOwn(callbacks, method)) throw badMessage("a call has an unknown method");
    if (method === "announce") {
      const { call, effects } = callbacks.announce.params(value, method);
      return this.#announce(call, effects);
    }
    const { process: id } = callbacks.pathRules.params(value, method);
    const { confinement } = this.#processes.get(id) ?? {};
    if (confinement === undefined) throw badMessage("a call belongs to no confined process");
    if (method === "pathRules") return confinement.pathRules?.();
    if (method === "mayRun")
      return confinement.mayRun?.(callbacks.mayRun.params(value, method).command) ?? false;
    const { host, port, name } = callbacks.mayConnect.params(value, method);
    return confinement.mayConnect?.(host, port, name) ?? false;
  }

  note(method: string, value: unknown): void {
    if (method === "greeting" || !Object.hasOwn(targetNotes, method))
      throw badMessage("a message has an unknown name");
    if (method === "exit") {
      const { process: id, code, signal, remarks, cwd, error } = targetNotes.exit(value, method);
      const { process } = this.#process(id);
      this.#processes.delete(id);
      if (error === undefined) process.ended({ code, signal, remarks, ...(cwd?.startsWith("/") && { cwd }) });
      else process.lost(errorOf(error));
      return;
    }
    const { process: id, stream } = targetNotes.outputEnd(value, method);
    const { process } = this.#process(id);
    if (method === "output") process.receive(stream, targetNotes.output(value, method).bytes);
    else process.endStream(stream);
  }

  lost(error: ToolError): void {
    for (const { process } of this.#processes.values()) process.lost(error);
    this.#processes.clear();
  }

  #process(id: number): StartedProcess {
    const found = this.#processes.get(id);
    if (found === undefined) throw badMessage("a message belongs to no process");
    return found;
  }

  #takeId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #callerId(caller: object): number {
    const known = this.#callers.get(caller) ?? this.#takeId();
    this.#callers.set(caller, known);
    return known;
  }

  /** Runs a command in a shell on the target. Its output and its end come like those of a process. */
  async #runCommand(shell: number, { sandbox }: RemoteProcess, given: CommandInShell): Promise<CommandThere> {
    const { signal, ...command } = given;
    const { stdout, stderr, exit } = await this.#begin({ signal }, async (id) => {
      await this.#call("runCommand", { process: shell, as: id, ...command });
    });
    return { stdout, stderr, sandbox, exit: exit.then((end) => ({ ...end, cwd: end.cwd })) };
  }

  /** Announces a process under a new id, whose messages may come before the answer. */
  async #begin(
    { confinement, signal }: Pick<StartedProcess, "confinement"> & { readonly signal: AbortSignal },
    start: (id: number, process: RemoteProcess) => Promise<void>,
  ): Promise<RemoteProcess> {
    const id = this.#takeId();
    const process = new RemoteProcess(id, this.#peer, this.#call);
    this.#processes.set(id, { process, confinement });
    try {
      await start(id, process);
    } catch (error) {
      this.#processes.delete(id);
      throw error;
    }
    const stop = () => process.stop();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    void process.exit.catch(() => {}).finally(() => signal.removeEventListener("abort", stop));
    return process;
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

  /** Sends a change. A change that was cancelled is waited for, because it may have been made. */
  async #change<Answer>(
    pending: PendingChange,
    signal: AbortSignal | undefined,
    send: (announces: boolean, call: Parameters<CallTarget>[2]) => Promise<Answer>,
  ): Promise<Answer> {
    throwIfAborted(signal);
    let id = 0;
    const started = (call: number) => {
      id = call;
      this.#changes.set(id, pending);
    };
    try {
      return await send(pending.announce !== undefined, { signal, onAbort: "wait", started });
    } finally {
      this.#changes.delete(id);
    }
  }

  async #announce(call: number, effects: Shaped<typeof sentEffects>): Promise<undefined> {
    const pending = this.#changes.get(call);
    if (pending?.announce === undefined) throw badMessage("an announcement belongs to no change");
    if (pending.isAnnounced && !pending.inParts) throw badMessage("a change was announced twice");
    pending.isAnnounced = true;
    if (effects.length < pending.leastEffects) throw badMessage("an announcement has too few effects");
    const checked = effects.map(
      ({ realPath, before, after, afterHash }): Effect => ({
        ...{ realPath: this.#inside(realPath), before, after },
        ...(afterHash !== undefined && { afterHash }),
      }),
    );
    await pending.announce(checked);
    return undefined;
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

  /** Requests run there only for a server of a process there. All others are made by this machine. */
  async #exchange(request: WebRequest): Promise<WebAnswer> {
    const { url, method, headers, body, maxBytes, at, signal, mayConnect } = request;
    if (at === undefined || !(await mayConnect?.(at.host, at.port)))
      throw new ToolError("denied", `No rule lets this call connect to ${url.host}`, {
        hint: `Ask the user to add the rule: allow connect ${url.hostname}`,
      });
    const answer = await this.#call(
      "exchange",
      { url: url.href, method, headers, body, maxBytes, at },
      { signal, maxBytes: maxBytes + maxHeaderBytes },
    );
    if (answer.body.length > maxBytes) throw badMessage("a page is longer than was asked for");
    return answer;
  }
}

interface PendingChange extends Announcing {
  /** How many effects its announcement must have. */
  readonly leastEffects: number;
  /** Whether it has several announcements: those of a tree. Default: false. */
  readonly inParts?: boolean | undefined;
  isAnnounced?: boolean;
}

interface StartedProcess {
  readonly process: RemoteProcess;
  readonly confinement?: Confinement | undefined;
}

type CommandThere = Awaited<ReturnType<NonNullable<RunningProcess["runCommand"]>>>;

const mostFilesAtOnce = 10_000;
const maxIgnoreBytes = 64 * 1024 * 1024;
const maxHeaderBytes = 512 * 1024;

/** The receipts of a change have long paths and a few numbers each. */
function answerBytes(changes: number): number {
  return 1024 * 1024 + changes * 10_000;
}
