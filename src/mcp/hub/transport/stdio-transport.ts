import { setTimeout as pause } from "node:timers/promises";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { Environment, ProcessExit, RunningProcess } from "../../../contract/environment.ts";
import { ToolError } from "../../../contract/error.ts";
import { TimeSlice } from "../../../lib/async/time-slice.ts";
import { monotonicMs } from "../../../lib/clock.ts";
import { isRecord } from "../../../lib/json/is-record.ts";
import type { StdioReach } from "../settings/read-settings.ts";
import { Flood } from "./bounded-fetch.ts";
import type { RecentLines } from "./recent-lines.ts";

// How long a server may take to go by itself, and then to heed SIGTERM.
const graceMs = 1_000;

// What has broken a pipe is mostly known as soon.
const momentMs = 300;

const progressMs = 50;
// Of what it has not read yet: whoever asks and asks and does not read the answers is told no more.
const maxUnread = 32 * 1024 * 1024;

/** Tells whoever is started here that a hub has done it. */
export const hubVariable = "TOOLCRIB_HUB";

interface StdioOptions {
  readonly reach: StdioReach;
  /** Opened on the directory that the server starts in; closed with the transport. */
  readonly environment: Environment;
  readonly said: RecentLines;
  /** Told of each line that is no message. */
  readonly onJunk: () => void;
  readonly parse: (value: unknown) => JSONRPCMessage;
}

/** Talks to a program that was started for it, line by line, and ends it with all that it has started. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <Message extends JSONRPCMessage>(message: Message) => void;
  readonly #options: StdioOptions;
  readonly #ending = new AbortController();
  #process: RunningProcess | undefined;
  #closed: Promise<void> | undefined;
  #isOver = false;
  #unread = 0;
  #progressed = Number.NEGATIVE_INFINITY;
  /** Once it has ended: how. */
  end: string | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { environment, reach } = this.#options;
    const process = await environment.start("/bin/sh", {
      args: endsWithUs(reach.command, reach.args),
      env: { ...reach.env, [hubVariable]: "1" },
      input: "open",
      // The person's own program, as every program that they start themselves.
      confinement: "ours",
      signal: this.#ending.signal,
    });
    this.#process = process;
    if (this.#closed !== undefined) process.stop();
    void this.#read(process);
    void this.#listen(process);
    const hasEnded = ({ code, signal }: Pick<ProcessExit, "code" | "signal">) => {
      // Whoever leaves because we do has not failed.
      const isOurs = this.#closed !== undefined && (signal !== undefined || code === 0);
      if (!isOurs) this.end = signal === undefined ? `exit code ${code}` : signal;
      this.#finish();
    };
    process.exit.then(hasEnded, () => hasEnded({ code: undefined, signal: "a failure to end it" }));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#process === undefined || this.#isOver)
      throw new ToolError("unavailable", "The server is not running");
    const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
    if (this.#unread + bytes.length > maxUnread)
      throw new ToolError("unavailable", "The server does not read what it is sent");
    this.#unread += bytes.length;
    await this.#process.write(bytes);
    this.#unread -= bytes.length;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** How it ended, if it has by now, or has in a moment. */
  async seeEnd(): Promise<string | undefined> {
    if (this.#process !== undefined && !(await endsWithin(this.#process, momentMs))) return undefined;
    return this.end;
  }

  get pid(): number | undefined {
    return this.#isOver ? undefined : this.#process?.pid;
  }

  async #close(): Promise<void> {
    const process = this.#process;
    if (process !== undefined) {
      process.endInput();
      if (!(await endsWithin(process, graceMs))) {
        process.terminate();
        if (!(await endsWithin(process, graceMs))) process.stop();
        await process.exit.catch(() => {});
      }
    }
    this.#ending.abort();
    await this.#options.environment.close().catch(() => {});
    this.#finish();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    void this.close();
    this.onclose?.();
  }

  /** Whoever talks much takes turns with everybody else. Who closes its output can tell nothing more. */
  async #read(process: RunningProcess): Promise<void> {
    const lines = new MessageLines();
    const flood = new Flood();
    const timeSlice = new TimeSlice();
    for await (const bytes of process.stdout) {
      for (const heard of lines.take(bytes)) {
        if (this.#isOver) return;
        if (flood.rises()) return this.#leave("it talked without end");
        this.#hear(heard);
        if (timeSlice.isOver) await timeSlice.next();
      }
      if (timeSlice.isOver) await timeSlice.next();
    }
    // Mostly it has ended, and how is told in a moment.
    if (!(await endsWithin(process, graceMs))) this.#finish();
  }

  #leave(why: string): void {
    this.end = why;
    this.#finish();
  }

  #hear(heard: Heard): void {
    if (heard.kind === "message") this.#receive(heard.value);
    else this.#options.onJunk();
    if (heard.kind === "too long") this.#refuse(heard.id, "Its answer has more than 16 MB");
  }

  async #listen(process: RunningProcess): Promise<void> {
    const timeSlice = new TimeSlice();
    for await (const bytes of process.stderr) {
      this.#options.said.take(bytes);
      if (timeSlice.isOver) await timeSlice.next();
    }
  }

  #receive(value: unknown): void {
    if (this.#isUnheard(value)) return;
    let message: JSONRPCMessage;
    try {
      // To find out what exactly is wrong with something costs more than all else.
      if (!isRecord(value) || value.jsonrpc !== "2.0") throw new Error("no message");
      message = this.#options.parse(value);
      // Ours are numbers, and what only looks like one of them is none.
      if (!("method" in message) && typeof message.id !== "number") throw new Error("answers nothing");
    } catch {
      this.#options.onJunk();
      this.#refuse(answeredBy(value), "Its answer is no result");
      return;
    }
    this.onmessage?.(message);
  }

  /** Notes of progress cost more to check than they tell, and nobody hears most others. */
  #isUnheard(value: unknown): boolean {
    if (!isRecord(value) || !("method" in value) || "id" in value) return false;
    if (value.method !== "notifications/progress") return !heeded.has(value.method);
    const now = monotonicMs();
    if (now - this.#progressed < progressMs) return true;
    this.#progressed = now;
    return false;
  }

  /** Whoever waits for an answer that cannot be taken is told so. */
  #refuse(id: number | undefined, message: string): void {
    if (id !== undefined) this.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32603, message } });
  }
}

const heeded: ReadonlySet<unknown> = new Set([
  "notifications/cancelled",
  "notifications/tools/list_changed",
  "notifications/elicitation/complete",
  "notifications/subscriptions/acknowledged",
]);

/** The request that something answers which is no message. */
function answeredBy(value: unknown): number | undefined {
  if (!isRecord(value) || !("result" in value || "error" in value)) return undefined;
  return typeof value.id === "number" ? value.id : undefined;
}

async function endsWithin(process: RunningProcess, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = pause(ms, false, { signal: timer.signal }).catch(() => false);
  const ended = await Promise.race([
    process.exit.then(
      () => true,
      () => true,
    ),
    late,
  ]);
  timer.abort();
  return ended;
}

/** What a line of output is. */
type Heard =
  | { readonly kind: "message"; readonly value: unknown }
  /** Not JSON, or none that could be a message. */
  | { readonly kind: "junk" }
  /** An answer in a line too long to be taken; `id`: of the request that it seems to answer. */
  | { readonly kind: "too long"; readonly id: number | undefined };

/**
 * Takes output apart into JSON messages, a line each. Whatever else is printed is passed over, in bounded memory. One by
 * one, so that the reader can do other work in between.
 */
export class MessageLines {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Of a line that is already too long: its last part. */
  #tail: Buffer | undefined;
  #head: Buffer | undefined;

  constructor(maxBytes: number = 16 * 1024 * 1024) {
    this.#maxBytes = maxBytes;
  }

  *take(bytes: Uint8Array): Generator<Heard> {
    let rest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      this.#add(rest.subarray(0, end));
      yield* this.#finish();
      rest = rest.subarray(end + 1);
    }
    this.#add(rest);
  }

  #add(piece: Buffer): void {
    if (piece.length === 0) return;
    if (this.#tail !== undefined) {
      this.#tail = Buffer.concat([this.#tail, piece]).subarray(-edgeBytes);
      return;
    }
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes <= this.#maxBytes) return;
    const line = Buffer.concat(this.#pieces);
    this.#head = Buffer.from(line.subarray(0, edgeBytes));
    this.#tail = Buffer.from(line.subarray(-edgeBytes));
    this.#pieces = [];
  }

  *#finish(): Generator<Heard> {
    const [head, tail, line] = [this.#head, this.#tail, Buffer.concat(this.#pieces)];
    this.#pieces = [];
    this.#bytes = 0;
    this.#head = undefined;
    this.#tail = undefined;
    if (tail !== undefined) yield { kind: "too long", id: idIn(`${head}`, `${tail}`) };
    else if (line.length > 0) yield* read(line.toString());
  }
}

function* read(text: string): Generator<Heard> {
  const line = text.trim();
  if (line === "") return;
  const value = line.startsWith("{") || line.startsWith("[") ? parse(line) : undefined;
  const values = Array.isArray(value) ? value : [value];
  if (value === undefined || values.length > maxBatch) yield { kind: "junk" };
  else for (const one of values) yield { kind: "message", value: one };
}

// Nobody has asked that much at once.
const maxBatch = 1_000;
const edgeBytes = 256;

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Where people and libraries put it: before what it is about, or after all of it. */
function idIn(head: string, tail: string): number | undefined {
  const found =
    /^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(\d+)/.exec(head) ??
    /[}\]]\s*,(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(
      tail,
    );
  return found ? Number(found[1]) : undefined;
}

/**
 * The words for `sh` that run a program and end its whole group within seconds after we are gone, be it by SIGKILL: a
 * server need not notice that nobody talks to it any more. The watcher holds none of the program's inputs and outputs.
 */
function endsWithUs(program: string, args: readonly string[]): readonly string[] {
  return ["-c", script, "sh", program, ...args];
}

const script = `
us=$PPID; group=$$
(
  while kill -0 "$us"; do sleep 2; done
  trap "" TERM
  kill -TERM "-$group"; sleep 1; kill -KILL "-$group"
) </dev/null >/dev/null 2>&1 &
exec "$@"
`;
