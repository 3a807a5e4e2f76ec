import type { Confinement } from "../../contract/confinement.ts";
import type { ProcessExit, RunningProcess } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { badMessage } from "./message.ts";
import type { Peer } from "./peer.ts";
import {
  type MethodName,
  methods,
  type Params,
  type Result,
  type SentConfinement,
  streamWindow,
} from "./protocol.ts";

/** Calls a method of the target, and checks its answer. */
export type CallTarget = <Name extends MethodName>(
  method: Name,
  params: Params<Name>,
  options?: Parameters<Peer["call"]>[2],
) => Promise<Result<Name>>;

export function callTarget(peer: Peer): CallTarget {
  return async (method, params, options) => {
    const answer = await peer.call(method, params, options);
    return (methods[method].result as (value: unknown, at: string) => never)(answer, method);
  };
}

/** The largest list of files. */
export const maxListBytes: number = 512 * 1024 * 1024;

type StreamName = "stdout" | "stderr";

interface RemoteExit extends ProcessExit {
  /** The directory of the shell, after a command in it. */
  readonly cwd?: string | undefined;
}

/** A process on the target. */
export class RemoteProcess implements RunningProcess {
  readonly stdout: RemoteStream;
  readonly stderr: RemoteStream;
  readonly exit: Promise<RemoteExit>;
  pid = 0;
  sandbox: RunningProcess["sandbox"] = "none";
  /** Only for a shell that stays open. */
  runCommand?: RunningProcess["runCommand"];
  readonly #id: number;
  readonly #peer: Peer;
  readonly #call: CallTarget;
  readonly #exit = Promise.withResolvers<RemoteExit>();
  #hasEnded = false;

  constructor(id: number, peer: Peer, call: CallTarget) {
    this.#id = id;
    this.#peer = peer;
    this.#call = call;
    const stream = (name: StreamName) =>
      new RemoteStream((bytes) => this.#note("credit", { stream: name, bytes }));
    this.stdout = stream("stdout");
    this.stderr = stream("stderr");
    this.exit = this.#exit.promise;
    // The caller that waits for the exit gets the error.
    this.exit.catch(() => {});
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  receive(stream: StreamName, bytes: Uint8Array): void {
    this[stream].add(bytes);
  }

  endStream(stream: StreamName): void {
    this[stream].end();
  }

  ended(exit: RemoteExit): void {
    this.#hasEnded = true;
    this.#exit.resolve(exit);
  }

  lost(error: unknown): void {
    this.#hasEnded = true;
    this.#exit.reject(error);
    for (const stream of [this.stdout, this.stderr]) stream.end();
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#hasEnded) throw readsNoMore();
    // One piece after the other, so that a program that reads slowly makes the caller wait.
    for (let at = 0; at < bytes.length || at === 0; at += inputBytes)
      await this.#call("write", { process: this.#id, bytes: bytes.subarray(at, at + inputBytes) });
  }

  endInput(): void {
    this.#note("endInput");
  }

  async waitsForInput(): Promise<boolean | undefined> {
    return this.#hasEnded ? false : this.#call("waitsForInput", { process: this.#id });
  }

  async answers(
    port: number,
    { url, signal }: { readonly url?: URL | undefined; readonly signal: AbortSignal },
  ): Promise<boolean> {
    const wanted = { process: this.#id, port, url: url?.href };
    return this.#hasEnded ? false : this.#call("answers", wanted, { signal }).catch(falseIfAborted(signal));
  }

  async settle(): Promise<readonly string[]> {
    return this.#hasEnded ? [] : this.#call("settle", { process: this.#id });
  }

  async uncovered(): Promise<string | undefined> {
    return this.#hasEnded ? undefined : this.#call("uncovered", { process: this.#id });
  }

  terminate(): void {
    this.#note("terminate");
  }

  stop(): void {
    this.#note("stop");
  }

  #note(method: string, value: object = {}): void {
    if (this.#hasEnded && method !== "credit") return;
    this.#peer.note(method, { process: this.#id, ...value }).catch(() => {});
  }
}

/** The functions of a confinement stay here: the target asks, or gets their rules as data. */
export function sendConfinement(confinement: Confinement): SentConfinement {
  const {
    mayConnect,
    mayRun,
    isHidden,
    shownFromGit: _,
    isReadOnly,
    isReadOnlyByRules,
    pathRules,
    pathsKey,
    ...data
  } = confinement;
  const hasPaths = [isHidden, isReadOnly, isReadOnlyByRules].some((one) => one !== undefined);
  if (hasPaths && (pathRules === undefined || pathsKey === undefined))
    throw new ToolError("unsupported", "The rules about paths of this call cannot be sent to the target");
  return {
    ...data,
    connects: mayConnect !== undefined,
    runs: mayRun !== undefined,
    pathsKey: hasPaths ? pathsKey : undefined,
  };
}

function falseIfAborted(signal: AbortSignal): (error: unknown) => false {
  return (error) => {
    if (signal.aborted) return false;
    throw error;
  };
}

const inputBytes = 256 * 1024;

function readsNoMore(): ToolError {
  return new ToolError("unavailable", "The process has ended and reads no more input");
}

/** The output of a process for one reader. The target sends no more than fits the window. */
class RemoteStream implements AsyncIterable<Uint8Array> {
  readonly #grant: (bytes: number) => void;
  #waiting: Uint8Array[] = [];
  #unread = 0;
  #ungranted = 0;
  #hasEnded = false;
  #isGone = false;
  #wake: (() => void) | undefined;

  constructor(grant: (bytes: number) => void) {
    this.#grant = grant;
  }

  add(bytes: Uint8Array): void {
    if (this.#hasEnded) throw badMessage("output comes after its end");
    if (bytes.length === 0) throw badMessage("output is empty");
    this.#unread += bytes.length;
    if (this.#unread + this.#ungranted > streamWindow) throw badMessage("more output than was asked for");
    if (this.#isGone) this.#take(bytes.length);
    else this.#waiting.push(bytes);
    this.#wake?.();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const bytes = this.#waiting.shift();
        if (bytes !== undefined) {
          this.#take(bytes.length);
          yield bytes;
        } else if (this.#hasEnded) return;
        else {
          const { promise, resolve } = Promise.withResolvers<void>();
          this.#wake = resolve;
          await promise;
        }
      }
    } finally {
      // After the reader has left, all output is dropped, so that the program does not hang.
      this.#isGone = true;
      for (const bytes of this.#waiting.splice(0)) this.#take(bytes.length);
    }
  }

  /** Grants what was read in steps, because each grant is a message. */
  #take(bytes: number): void {
    this.#unread -= bytes;
    this.#ungranted += bytes;
    if (this.#ungranted < streamWindow / 4 || this.#hasEnded) return;
    this.#grant(this.#ungranted);
    this.#ungranted = 0;
  }
}
