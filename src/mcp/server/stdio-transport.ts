import type { Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import type { StdioStreams } from "./serve-stdio.ts";

/**
 * Messages as lines of JSON. What is no message is passed over, however long, with a remark: one bad line of a client must not
 * end the connection of all others.
 */
export class StdioTransport implements Transport {
  readonly #streams: StdioStreams;
  /** Pieces of a line that has not ended. */
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** What came while too many answers wait for the client to read them. */
  #unheard: Buffer[] = [];
  #hasTurn = false;
  #unsent = "";
  #writing: Promise<void> | undefined;
  #isClosed = false;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor(streams: StdioStreams) {
    this.#streams = streams;
  }

  async start(): Promise<void> {
    const { input, output } = this.#streams;
    // A client that has gone breaks the one or ends the other.
    input.on("end", this.#end).on("close", this.#end).on("error", this.#end);
    output.on("error", this.#end);
    input.on("data", this.#hear);
    if (input.readableEnded || input.destroyed) setImmediate(this.#end);
  }

  /** Settled when it is written and there is room for more. */
  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error("The client has gone"));
    this.#unsent += `${JSON.stringify(message)}\n`;
    this.#writing ??= this.#write();
    return this.#writing;
  }

  /** Answers that are ready together are written together; while the client does not read, they wait here. */
  async #write(): Promise<void> {
    const { output } = this.#streams;
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const text = this.#unsent;
    this.#unsent = "";
    if (!output.write(text)) await untilDrained(output);
    this.#writing = undefined;
    if (this.#unsent !== "" && !this.#isClosed) this.#writing = this.#write();
    this.#goOn();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { input } = this.#streams;
    input.off("data", this.#hear).off("end", this.#end).off("close", this.#end);
    input.pause();
    this.#pieces = [];
    this.#unheard = [];
    this.onclose?.();
  }

  readonly #end = (): void => {
    void this.close();
  };

  readonly #hear = (chunk: Buffer): void => {
    this.#unheard.push(chunk);
    this.#goOn();
  };

  /**
   * Who does not read answers is heard no further: they would pile up here. A little more is taken in all the same, since
   * nothing else tells that the input has ended.
   */
  #goOn(): void {
    const { input, output } = this.#streams;
    const isBehind = () => this.#unsent.length + output.writableLength > maxUnread;
    for (let lines = 0; this.#unheard.length > 0 && !this.#hasTurn && !isBehind(); lines += 1)
      if (lines < linesAtOnce) this.#readPiece();
      else this.#goOnLater();
    if (this.#isClosed) return;
    if (this.#unheard.length > maxUnheard) input.pause();
    else if (input.isPaused()) input.resume();
  }

  /** Lets calls come to their answers before more are begun. */
  #goOnLater(): void {
    this.#hasTurn = true;
    setImmediate(() => {
      this.#hasTurn = false;
      this.#goOn();
    });
  }

  /** Up to the end of a line, or all that came. */
  #readPiece(): void {
    const chunk = this.#unheard.shift()!;
    const end = chunk.indexOf(newline);
    if (end >= 0 && end + 1 < chunk.length) this.#unheard.unshift(chunk.subarray(end + 1));
    this.#take(end < 0 ? chunk : chunk.subarray(0, end));
    if (end >= 0) this.#readLine();
  }

  #take(piece: Buffer): void {
    this.#bytes += piece.length;
    // Of a line that is too long its two ends stay, which may tell whose message it was.
    if (this.#bytes > maxLineBytes && this.#pieces.length > 1) this.#pieces = [this.#pieces[0]!];
    if (piece.length > 0) this.#pieces.push(piece);
  }

  #readLine(): void {
    const [first = Buffer.alloc(0)] = this.#pieces;
    const line = this.#pieces.length > 1 ? Buffer.concat(this.#pieces) : first;
    const bytes = this.#bytes;
    this.#pieces = [];
    this.#bytes = 0;
    if (bytes > maxLineBytes) this.#refuse(line, bytes);
    else this.#deliver(line.toString());
  }

  #deliver(line: string): void {
    if (line.trim() === "") return;
    let parsed: unknown;
    try {
      parsed = JSON.parse(line);
    } catch {
      this.#streams.remark?.(
        `A line on standard input is no JSON, and was passed over: ${line.slice(0, 60)}`,
      );
      return;
    }
    // Clients of 2025-03-26 may send several at once.
    const messages = Array.isArray(parsed) ? parsed : [parsed];
    if (messages.length > maxBatch)
      this.#streams.remark?.(`Of ${messages.length} messages at once only the first ${maxBatch} are heard`);
    for (const message of messages.slice(0, maxBatch)) {
      if (isMessage(message)) this.#pass(message);
      else this.#streams.remark?.("A line on standard input is no message of JSON-RPC, and was passed over");
    }
  }

  /** Whatever one message does to who hears it, the next is heard. */
  #pass(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.#streams.remark?.(`A message could not be taken: ${(error as Error).message}`);
    }
  }

  #refuse(line: Buffer, bytes: number): void {
    const text = `A message of ${bytes} bytes is too long: at most ${maxLineBytes} are read`;
    this.#streams.remark?.(text);
    const id = idAtAnEnd(line);
    if (id === undefined) return;
    void this.send({ jsonrpc: "2.0", id, error: { code: invalidRequest, message: text } }).catch(() => {});
  }
}

const newline = 0x0a;
const linesAtOnce = 25;
const maxLineBytes = 32 * 1024 * 1024;
const maxBatch = 1_000;
const maxUnread = 8 * 1024 * 1024;
/** Chunks, of 64 KiB at most where they come from a pipe. */
const maxUnheard = 16;
const invalidRequest = -32600;

/** Or until nobody will ever read it. */
function untilDrained(output: Writable): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      output.off("drain", settle).off("close", settle).off("error", settle);
      resolve();
    };
    output.on("drain", settle).on("close", settle).on("error", settle);
    if (output.destroyed) settle();
  });
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";
}

/** SDKs write it first or last, where nothing of the arguments can be taken for it. */
function idAtAnEnd(line: Buffer): string | number | undefined {
  const head = line.subarray(0, 200).toString();
  const tail = line.subarray(-200).toString();
  const [, text] =
    /^\{"jsonrpc":"2\.0","id":(\d{1,15}|"[^"\\]{1,100}"),/.exec(head) ??
    /,"id":(\d{1,15}|"[^"\\]{1,100}")\}\s*$/.exec(tail) ??
    [];
  return text === undefined ? undefined : JSON.parse(text);
}
