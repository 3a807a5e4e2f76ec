import type { Confinement } from "../../contract/confinement.ts";
import type {
  Environment,
  ProcessExit,
  ProcessStartOptions,
  RunningProcess,
} from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { makePipes } from "../shells/command-pipes.ts";
import { Shell } from "../shells/shell.ts";
import { ShellsDirectory } from "../shells/shells-directory.ts";
import { failureOf } from "./errors.ts";
import type { Peer } from "./peer.ts";
import { callbacks, type Params, type Result, type SentConfinement, streamWindow } from "./protocol.ts";

/** Turns the path rules of a client into functions. Throws for data that it does not understand. */
export type RevivePathRules = (data: unknown) => ConfinedPaths;

export type ConfinedPaths = Pick<
  Confinement,
  "isHidden" | "isReadOnly" | "isReadOnlyByRules" | "shownFromGit"
>;

interface Served {
  /** Missing for a command in a shell. */
  readonly running?: RunningProcess;
  readonly shell?: Shell;
  readonly ending: Pick<RunningProcess, "stop" | "terminate" | "endInput">;
  readonly credits: Readonly<Record<"stdout" | "stderr", Credit>>;
}

/** The output and the end of a process, or of a command in a shell. */
interface Followed extends Pick<RunningProcess, "stdout" | "stderr"> {
  readonly exit: Promise<ProcessExit & { readonly cwd?: string | undefined }>;
}

/** The processes of one client. */
export class ServedProcesses {
  readonly #environment: Environment;
  readonly #peer: Peer;
  readonly #revive: RevivePathRules | undefined;
  readonly #running = new Map<number, Served>();
  readonly #starting = new Map<number, AbortController>();
  readonly #callers = new BoundedCache<number, object>({ maxEntries: 1000 });
  /** The same functions for the same rules, so that the sandbox can keep what it found. */
  readonly #paths = new BoundedCache<string, ConfinedPaths>({ maxEntries: 16 });
  #shells: ShellsDirectory | undefined;

  constructor(environment: Environment, peer: Peer, revive: RevivePathRules | undefined) {
    this.#environment = environment;
    this.#peer = peer;
    this.#revive = revive;
  }

  async start(params: Params<"start">, signal: AbortSignal): Promise<Result<"start">> {
    const { as: id, program, confinement, caller, shell: staysOpen, ...options } = params;
    this.#refuseTaken(id);
    const ended = new AbortController();
    const cancel = () => ended.abort(signal.reason);
    signal.addEventListener("abort", cancel, { once: true });
    this.#starting.set(id, ended);
    try {
      const confined = confinement === "ours" ? "ours" : await this.#confinement(id, confinement);
      const started: ProcessStartOptions = {
        ...(options as ProcessStartOptions),
        confinement: confined,
        caller: caller === undefined ? undefined : this.#callerOf(caller),
        signal: ended.signal,
      };
      if (staysOpen) return this.#keep(id, await this.#openShell(started));
      const running = await this.#environment.start(program, started);
      this.#follow(id, running, { running, ending: running });
      return { pid: running.pid, sandbox: running.sandbox };
    } finally {
      this.#starting.delete(id);
      signal.removeEventListener("abort", cancel);
    }
  }

  /** Runs a command in a shell. It has an id of its own, like a process. */
  async runCommand({ process, as: id, command, cwd, from, env }: Params<"runCommand">): Promise<undefined> {
    this.#refuseTaken(id);
    const shell = this.#running.get(process)?.shell;
    if (shell === undefined || shell.hasEnded) throw new ToolError("unavailable", "The shell has ended");
    if (from !== undefined && (shell.directory() ?? from) !== from)
      throw new ToolError("stale", "The shell of this session has changed its directory", {
        hint: "Run the command again.",
      });
    const ending = new AbortController();
    const end = () => ending.abort();
    const ran = await shell.run({
      ...{ command, cwd, env, signal: ending.signal },
      makePipes: (paths) => makePipes(this.#environment, paths),
      onData: () => {},
    });
    this.#follow(id, ran, { ending: { stop: end, terminate: end, endInput: () => {} } });
    return undefined;
  }

  close(): void {
    this.#shells?.remove();
  }

  get(id: number): RunningProcess {
    const found = this.#running.get(id)?.running;
    if (found === undefined) throw new ToolError("unavailable", "The process has ended");
    return found;
  }

  /** Handles a one-way message. The process may have ended before it arrived. */
  note(method: "credit" | "endInput" | "terminate" | "stop", value: Noted): void {
    const served = this.#running.get(value.process);
    if (method === "stop") this.#starting.get(value.process)?.abort();
    if (served === undefined) return;
    if (method === "credit") served.credits[value.stream!].add(value.bytes!);
    else served.ending[method]();
  }

  #refuseTaken(id: number): void {
    if (this.#running.has(id) || this.#starting.has(id) || this.#running.size >= maxProcesses)
      throw tooMany();
  }

  #openShell({ cwd = ".", confinement, caller, signal }: ProcessStartOptions): Promise<Shell> {
    this.#shells ??= new ShellsDirectory();
    return Shell.open(this.#environment, {
      ...{ directory: this.#shells.forShell(), cwd, caller, signal },
      confinement: confinement === "ours" ? undefined : confinement,
    });
  }

  #keep(id: number, shell: Shell): Result<"start"> {
    const { running, ended: exit } = shell;
    const ending = { stop: () => shell.stop(), terminate: () => shell.stop(), endInput: () => shell.stop() };
    this.#follow(id, { stdout: nothing, stderr: nothing, exit }, { running, shell, ending });
    return { pid: running.pid, sandbox: running.sandbox };
  }

  #follow(id: number, followed: Followed, served: Omit<Served, "credits">): void {
    const credits = { stdout: new Credit(streamWindow), stderr: new Credit(streamWindow) };
    this.#running.set(id, { ...served, credits });
    void this.#report(id, followed, credits);
  }

  async #report(id: number, running: Followed, credits: Served["credits"]): Promise<void> {
    const send = async (stream: "stdout" | "stderr") => {
      for await (const bytes of running[stream])
        for (let at = 0; at < bytes.length; ) {
          const size = Math.min(bytes.length - at, await credits[stream].take(outputBytes));
          credits[stream].use(size);
          await this.#peer.note("output", { process: id, stream, bytes: bytes.subarray(at, at + size) });
          at += size;
        }
      await this.#peer.note("outputEnd", { process: id, stream });
    };
    // When the channel is lost, the environment is closed and ends the process.
    const streams = Promise.all([send("stdout"), send("stderr")]).catch(() => {});
    try {
      const { code, signal, remarks, cwd } = await running.exit;
      await streams;
      await this.#peer.note("exit", { process: id, code, signal, remarks, cwd });
    } catch (error) {
      await this.#peer.note("exit", { process: id, remarks: [], error: failureOf(error) }).catch(() => {});
    } finally {
      this.#running.delete(id);
    }
  }

  #callerOf(id: number): object {
    const known = this.#callers.use(id) ?? {};
    this.#callers.set(id, known);
    return known;
  }

  async #confinement(id: number, sent: SentConfinement | undefined): Promise<Confinement | undefined> {
    if (sent === undefined) return undefined;
    const { connects, runs, pathsKey, unconfined, readsOnly, ...given } = sent;
    const paths = pathsKey === undefined ? {} : await this.#pathsOf(id, pathsKey);
    const ask = async (method: "mayConnect" | "mayRun", value: object) =>
      callbacks[method].result(await this.#peer.call(method, { process: id, ...value }), method);
    return {
      ...(given as Confinement),
      ...paths,
      ...(unconfined && { unconfined }),
      ...(readsOnly && { readsOnly }),
      ...(pathsKey !== undefined && { pathsKey }),
      // Without an answer nothing is allowed.
      ...(connects && {
        mayConnect: (host: string, port: number, name?: string) =>
          ask("mayConnect", { host, port, name }).catch(() => false),
      }),
      ...(runs && { mayRun: (command: string) => ask("mayRun", { command }).catch(() => false) }),
    };
  }

  async #pathsOf(id: number, key: string): Promise<ConfinedPaths> {
    const known = this.#paths.use(key);
    if (known !== undefined) return known;
    if (this.#revive === undefined)
      throw new ToolError("unsupported", "This server cannot confine commands by rules about paths");
    const paths = this.#revive(
      await this.#peer.call("pathRules", { process: id }, { maxBytes: maxRuleBytes }),
    );
    this.#paths.set(key, paths);
    return paths;
  }
}

/** The output of a shell itself, which is that of its commands. */
const nothing: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} };

interface Noted {
  readonly process: number;
  readonly stream?: "stdout" | "stderr";
  readonly bytes?: number;
}

const maxProcesses = 1000;
const outputBytes = 64 * 1024;
const maxRuleBytes = 16 * 1024 * 1024;

/** Bytes that may still be sent. */
class Credit {
  #bytes: number;
  #wake: (() => void) | undefined;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    this.#wake?.();
  }

  /** Waits for credit, and returns at most `most` bytes of it. */
  async take(most: number): Promise<number> {
    while (this.#bytes === 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    return Math.min(this.#bytes, most);
  }

  use(used: number): void {
    this.#bytes -= used;
  }
}

function tooMany(): ToolError {
  return new ToolError("unavailable", `At most ${maxProcesses} processes can run there at once`, {
    hint: "End some with process.stop first.",
  });
}
