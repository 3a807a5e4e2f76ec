import { setTimeout as pause } from "node:timers/promises";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { Environment, ProcessExit, RunningProcess } from "../../../contract/environment.ts";
import { ToolError } from "../../../contract/error.ts";
import { TimeSlice } from "../../../lib/async/time-slice.ts";
import { monotonicMs } from "../../../lib/clock.ts";
import { isRecord } from "../../../lib/json/is-record.ts";
import { tryParseJson } from "../../../lib/json/try-parse-json.ts";
import type { HubTimes } from "../hub-times.ts";
import type { StdioServer } from "../settings/read-settings.ts";
import { Flood } from "./bounded-fetch.ts";
import type { RecentLines } from "./recent-lines.ts";

const progressMs = 50;
/** Maximum size of the messages that the server has not read yet. */
const maxUnread = 32 * 1024 * 1024;

/** Set in the environment of servers that a hub starts. */
export const hubVariable = "TOOLCRIB_HUB";

interface StdioOptions {
  readonly server: StdioServer;
  /** Opened on the server's directory; closed with the transport. */
  readonly environment: Environment;
  readonly stderrLines: RecentLines;
  readonly times: Pick<HubTimes, "graceMs" | "exitMs">;
  /** Called for each line that is not a message. */
  readonly onJunk: () => void;
  readonly parse: (value: unknown) => JSONRPCMessage;
}

/** Starts a program, exchanges lines with it, and ends it with its whole process group. */
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
  /** How the server ended; undefined while it runs. */
  end: string | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { environment, server } = this.#options;
    const process = await environment.start("/bin/sh", {
      args: ["-c", watchedProgram, "sh", server.command, ...server.args],
      env: { ...server.env, [hubVariable]: "1" },
      input: "open",
      // The user configured this program; it runs with their rights.
      confinement: "ours",
      signal: this.#ending.signal,
    });
    this.#process = process;
    if (this.#closed !== undefined) process.stop();
    void this.#read(process);
    void this.#listen(process);
    const hasEnded = ({ code, signal }: Pick<ProcessExit, "code" | "signal">) => {
      // An exit during closing is not a failure.
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
      throw new ToolError("unavailable", "The server does not read its messages");
    this.#unread += bytes.length;
    await this.#process.write(bytes);
    this.#unread -= bytes.length;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** Waits a moment for the end of the server, and returns how it ended. */
  async seeEnd(): Promise<string | undefined> {
    if (this.#process !== undefined && !(await endsWithin(this.#process, this.#options.times.exitMs)))
      return undefined;
    return this.end;
  }

  get pid(): number | undefined {
    return this.#isOver ? undefined : this.#process?.pid;
  }

  async #close(): Promise<void> {
    const process = this.#process;
    const { graceMs } = this.#options.times;
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

  /** Reads messages, and yields to other work regularly. A server that closes its output is finished. */
  async #read(process: RunningProcess): Promise<void> {
    const lines = new MessageLines();
    const flood = new Flood();
    const timeSlice = new TimeSlice();
    for await (const bytes of process.stdout) {
      for (const line of lines.take(bytes)) {
        if (this.#isOver) return;
        if (flood.rises()) {
          this.end = "it sent too many messages";
          this.#finish();
          return;
        }
        this.#handle(line);
        if (timeSlice.isOver) await timeSlice.next();
      }
      if (timeSlice.isOver) await timeSlice.next();
    }
    // The server has usually ended: wait for its exit code.
    if (!(await endsWithin(process, this.#options.times.exitMs))) this.#finish();
  }

  #handle(line: OutputLine): void {
    if (line.kind === "message") this.#receive(line.value);
    else this.#options.onJunk();
    if (line.kind === "too long") this.#refuse(line.id, "Its response exceeds 16 MB");
  }

  async #listen(process: RunningProcess): Promise<void> {
    const timeSlice = new TimeSlice();
    for await (const bytes of process.stderr) {
      this.#options.stderrLines.take(bytes);
      if (timeSlice.isOver) await timeSlice.next();
    }
  }

  #receive(value: unknown): void {
    if (this.#isIgnored(value)) return;
    const message = this.#messageOf(value);
    if (message !== undefined) {
      this.onmessage?.(message);
      return;
    }
    this.#options.onJunk();
    this.#refuse(answeredBy(value), "Its response is invalid");
  }

  /** Returns undefined for anything but a valid message. */
  #messageOf(value: unknown): JSONRPCMessage | undefined {
    // This is checked first, because errors are expensive, and a server may send nothing else.
    if (!isRecord(value) || value.jsonrpc !== "2.0") return undefined;
    try {
      const message = this.#options.parse(value);
      // A response to one of our requests has a number as its id.
      return "method" in message || typeof message.id === "number" ? message : undefined;
    } catch {
      return undefined;
    }
  }

  /** Skips frequent progress notifications, whose validation is expensive, and notifications that are not used. */
  #isIgnored(value: unknown): boolean {
    if (!isRecord(value) || !("method" in value) || "id" in value) return false;
    if (value.method !== "notifications/progress") return !usedNotifications.has(value.method);
    const now = monotonicMs();
    if (now - this.#progressed < progressMs) return true;
    this.#progressed = now;
    return false;
  }

  /** Fails the request whose response cannot be used. */
  #refuse(id: number | undefined, message: string): void {
    if (id !== undefined) this.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32603, message } });
  }
}

const usedNotifications: ReadonlySet<unknown> = new Set([
  "notifications/cancelled",
  "notifications/tools/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
  "notifications/prompts/list_changed",
  "notifications/elicitation/complete",
  "notifications/subscriptions/acknowledged",
]);

/** Returns the id of the request that an invalid message answers. */
function answeredBy(value: unknown): number | undefined {
  if (!isRecord(value) || !("result" in value || "error" in value)) return undefined;
  return typeof value.id === "number" ? value.id : undefined;
}

async function endsWithin(process: RunningProcess, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = pause(ms, false, { signal: timer.signal }).catch(() => false);
  const exit = process.exit.catch(() => {}).then(() => true);
  const ended = await Promise.race([exit, late]);
  timer.abort();
  return ended;
}

/** A line of output. */
type OutputLine =
  | { readonly kind: "message"; readonly value: unknown }
  /** Not JSON, or a batch of too many messages. */
  | { readonly kind: "junk" }
  /** `id` is the request that the line seems to answer. */
  | { readonly kind: "too long"; readonly id: number | undefined };

/** Splits output into JSON messages, one per line, in bounded memory. Yields them one by one, so that the reader can pause. */
export class MessageLines {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** The last part of a line that is too long. */
  #tail: Buffer | undefined;
  #head: Buffer | undefined;

  constructor(maxBytes: number = 16 * 1024 * 1024) {
    this.#maxBytes = maxBytes;
  }

  *take(bytes: Uint8Array): Generator<OutputLine> {
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

  *#finish(): Generator<OutputLine> {
    const [head, tail, line] = [this.#head, this.#tail, Buffer.concat(this.#pieces)];
    this.#pieces = [];
    this.#bytes = 0;
    this.#head = undefined;
    this.#tail = undefined;
    if (tail !== undefined) yield { kind: "too long", id: idIn(`${head}`, `${tail}`) };
    else if (line.length > 0) yield* read(line.toString());
  }
}

function* read(text: string): Generator<OutputLine> {
  const line = text.trim();
  if (line === "") return;
  const value = /^[{[]/.test(line) ? tryParseJson(line) : undefined;
  const values = Array.isArray(value) ? value : [value];
  if (value === undefined || values.length > maxBatch) yield { kind: "junk" };
  else for (const one of values) yield { kind: "message", value: one };
}

const maxBatch = 1_000;
const edgeBytes = 256;

/** Finds the id of a response: libraries write it before the result, or at the end. */
function idIn(head: string, tail: string): number | undefined {
  const found =
    /^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(\d+)/.exec(head) ??
    /[}\]]\s*,(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(
      tail,
    );
  return found ? Number(found[1]) : undefined;
}

/**
 * Runs a program, and kills its process group within seconds after this process has died, even by SIGKILL: a server may
 * not notice that its client is gone.
 */
const watchedProgram = `
us=$PPID; group=$$
(
  while kill -0 "$us"; do sleep 2; done
  trap "" TERM
  kill -TERM "-$group"; sleep 1; kill -KILL "-$group"
) </dev/null >/dev/null 2>&1 &
exec "$@"
`;
