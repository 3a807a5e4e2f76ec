import type { Confinement } from "../../contract/confinement.ts";
import type { CommandInShell, ProcessStartOptions, RunningProcess } from "../../contract/environment.ts";
import type { ToolError } from "../../contract/error.ts";
import { errorOf } from "./errors.ts";
import { badMessage } from "./message.ts";
import type { Peer } from "./peer.ts";
import { callbacks, targetNotes } from "./protocol.ts";
import { type CallTarget, RemoteProcess, sendConfinement } from "./remote-process.ts";

interface RemoteProcessesParts {
  readonly peer: Peer;
  readonly call: CallTarget;
  readonly takeId: () => number;
}

/** The processes that run on the target, and their shells. */
export class RemoteProcesses {
  readonly #parts: RemoteProcessesParts;
  readonly #running = new Map<number, StartedProcess>();
  readonly #callers = new WeakMap<object, number>();

  constructor(parts: RemoteProcessesParts) {
    this.#parts = parts;
  }

  async start(program: string, options: ProcessStartOptions): Promise<RunningProcess> {
    const { signal, confinement: given, caller, args, cwd, env, input, terminal, shell } = options;
    const { reachable, leavesFiles, ownDirectory } = options;
    const confinement = given === "ours" ? undefined : given;
    const sent = given === "ours" ? "ours" : confinement && sendConfinement(confinement);
    const process = await this.#begin({ confinement, signal }, async (id, process) => {
      const params = { as: id, program, args, cwd, env, input, terminal, shell, reachable, leavesFiles };
      const started = await this.#parts.call(
        "start",
        { ...params, ownDirectory, confinement: sent, caller: caller && this.#callerId(caller) },
        { signal, onAbort: "wait" },
      );
      Object.assign(process, started);
      if (shell) process.runCommand = (command) => this.#runCommand(id, process, command);
    });
    return process;
  }

  /** Answers a call of the target about a process that runs. */
  async answer(method: string, value: unknown): Promise<unknown> {
    const { process: id } = callbacks.pathRules.params(value, method);
    const { confinement } = this.#running.get(id) ?? {};
    if (confinement === undefined) throw badMessage("a call belongs to no confined process");
    if (method === "pathRules") return confinement.pathRules?.();
    if (method === "mayRun")
      return confinement.mayRun?.(callbacks.mayRun.params(value, method).command) ?? false;
    const { host, port, name } = callbacks.mayConnect.params(value, method);
    return confinement.mayConnect?.(host, port, name) ?? false;
  }

  /** Takes output of a process, or its end. */
  note(method: string, value: unknown): void {
    if (method === "exit") {
      const { process: id, code, signal, remarks, cwd, error } = targetNotes.exit(value, method);
      const { process } = this.#process(id);
      this.#running.delete(id);
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
    for (const { process } of this.#running.values()) process.lost(error);
    this.#running.clear();
  }

  #process(id: number): StartedProcess {
    const found = this.#running.get(id);
    if (found === undefined) throw badMessage("a message belongs to no process");
    return found;
  }

  #callerId(caller: object): number {
    const known = this.#callers.get(caller) ?? this.#parts.takeId();
    this.#callers.set(caller, known);
    return known;
  }

  /** Runs a command in a shell on the target. Its output and its end come like those of a process. */
  async #runCommand(shell: number, { sandbox }: RemoteProcess, given: CommandInShell): Promise<CommandThere> {
    const { signal, ...command } = given;
    const { stdout, stderr, exit } = await this.#begin({ signal }, async (id) => {
      await this.#parts.call("runCommand", { process: shell, as: id, ...command });
    });
    return { stdout, stderr, sandbox, exit: exit.then((end) => ({ ...end, cwd: end.cwd })) };
  }

  /** Announces a process under a new id, whose messages may come before the answer. */
  async #begin(
    { confinement, signal }: Pick<StartedProcess, "confinement"> & { readonly signal: AbortSignal },
    start: (id: number, process: RemoteProcess) => Promise<void>,
  ): Promise<RemoteProcess> {
    const id = this.#parts.takeId();
    const process = new RemoteProcess(id, this.#parts.peer, this.#parts.call);
    this.#running.set(id, { process, confinement });
    try {
      await start(id, process);
    } catch (error) {
      this.#running.delete(id);
      throw error;
    }
    const stop = () => process.stop();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    void process.exit.catch(() => {}).finally(() => signal.removeEventListener("abort", stop));
    return process;
  }
}

interface StartedProcess {
  readonly process: RemoteProcess;
  readonly confinement?: Confinement | undefined;
}

type CommandThere = Awaited<ReturnType<NonNullable<RunningProcess["runCommand"]>>>;
