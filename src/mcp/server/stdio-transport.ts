import { isUtf8 } from "node:buffer";
import type { Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { isRecord } from "../../lib/json/is-record.ts";
import { tryParseJson } from "../../lib/json/try-parse-json.ts";
import type { StdioStreams } from "./serve-stdio.ts";

export type StdioMessage = JSONRPCMessage;

/** Exchanges messages as lines of JSON. Invalid lines of any length are skipped with a remark, and do not end the connection. */
export class StdioTransport implements Transport {
  readonly #streams: StdioStreams;
  /** Pieces of an unfinished line. */
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Input that waits until the client has read earlier responses. */
  #waiting: Buffer[] = [];
  #hasTurn = false;
  #unsent = "";
  #writing: Promise<void> | undefined;
  #isClosed = false;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Called for a skipped line whose sender is unknown, with an error of JSON-RPC. */
  oninvalid?: (error: { readonly code: number; readonly message: string }) => void;

  constructor(streams: StdioStreams) {
    this.#streams = streams;
  }

  async start(): Promise<void> {
    const { input, output } = this.#streams;
    // A client that disconnects ends the input or breaks the output.
    input.on("end", this.#end).on("close", this.#end).on("error", this.#end);
    output.on("error", this.#end);
    input.on("data", this.#hear);
    if (input.readableEnded || input.destroyed) setImmediate(this.#end);
  }

  /** Whether the client does not read what was sent. */
  get isBehind(): boolean {
    return this.#unsent.length + this.#streams.output.writableLength > maxUnread;
  }

  /** Resolves when the message is written and more can be written. */
  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error("The client has disconnected"));
    this.#unsent += `${JSON.stringify(message)}\n`;
    this.#writing ??= this.#write();
    return this.#writing;
  }

  /** Writes responses that are ready together in one go; while the client does not read, they wait here. */
  async #write(): Promise<void> {
    const { output } = this.#streams;
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const text = this.#unsent;
    this.#unsent = "";
    if (!output.write(text)) await untilDrained(output);
    this.#writing = undefined;
    if (this.#unsent !== "" && !this.#isClosed) this.#writing = this.#write();
    this.#process();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { input } = this.#streams;
    input.off("data", this.#hear).off("end", this.#end).off("close", this.#end);
    input.pause();
    this.#pieces = [];
    this.#waiting = [];
    this.onclose?.();
  }

  readonly #end = (): void => {
    void this.close();
  };

  readonly #hear = (chunk: Buffer): void => {
    this.#waiting.push(chunk);
    this.#process();
  };

  /**
   * Processes no input while the client does not read its responses, which would pile up here. Some input is still
   * buffered, because only reading shows that it has ended.
   */
  #process(): void {
    const { input } = this.#streams;
    for (let lines = 0; this.#waiting.length > 0 && !this.#hasTurn && !this.isBehind; lines += 1)
      if (lines < linesAtOnce) this.#readPiece();
      else this.#processLater();
    if (this.#isClosed) return;
    if (this.#waiting.length > maxWaiting) input.pause();
    else if (input.isPaused()) input.resume();
  }

  /** Lets calls finish before more are started. */
  #processLater(): void {
    this.#hasTurn = true;
    setImmediate(() => {
      this.#hasTurn = false;
      this.#process();
    });
  }

  /** Reads to the end of a line, or of the chunk. */
  #readPiece(): void {
    const chunk = this.#waiting.shift()!;
    const end = chunk.indexOf(newline);
    if (end >= 0 && end + 1 < chunk.length) this.#waiting.unshift(chunk.subarray(end + 1));
    this.#take(end < 0 ? chunk : chunk.subarray(0, end));
    if (end >= 0) this.#readLine();
  }

  #take(piece: Buffer): void {
    this.#bytes += piece.length;
    // Both ends of a line that is too long are kept: one of them contains the id.
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
    else if (isUtf8(line)) this.#deliver(line.toString());
    else this.#skip(parseError, "Skipped a line on standard input that is not UTF-8");
  }

  #skip(code: number, message: string): void {
    this.#streams.remark?.(message);
    this.oninvalid?.({ code, message });
  }

  #deliver(line: string): void {
    if (line.trim() === "") return;
    const parsed = tryParseJson(line);
    if (parsed === undefined) {
      this.#skip(parseError, `Skipped a line on standard input that is not JSON: ${line.slice(0, 60)}`);
      return;
    }
    // Clients of 2025-03-26 may send a batch.
    const messages = Array.isArray(parsed) ? parsed : [parsed];
    if (messages.length > maxBatch)
      this.#streams.remark?.(
        `Processed only the first ${maxBatch} of ${messages.length} messages in a batch`,
      );
    for (const message of messages.slice(0, maxBatch)) {
      if (isRecord(message) && message.jsonrpc === "2.0") this.#pass(message as unknown as JSONRPCMessage);
      else this.#skip(invalidRequest, "Skipped a line on standard input that is not a JSON-RPC message");
    }
  }

  /** An error in one message does not affect the next. */
  #pass(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.#streams.remark?.(`A message could not be processed: ${(error as Error).message}`);
    }
  }

  #refuse(line: Buffer, bytes: number): void {
    const text = `A message of ${bytes} bytes is too long: the limit is ${maxLineBytes}`;
    const id = idAtAnEnd(line);
    if (id === undefined) this.#skip(invalidRequest, text);
    else {
      this.#streams.remark?.(text);
      const error = { code: invalidRequest, message: text };
      void this.send({ jsonrpc: "2.0", id, error }).catch(() => {});
    }
  }
}

const newline = 0x0a;
const linesAtOnce = 25;
const maxLineBytes = 32 * 1024 * 1024;
const maxBatch = 1_000;
const maxUnread = 8 * 1024 * 1024;
/** How many chunks may wait; a chunk from a pipe has at most 64 KiB. */
const maxWaiting = 16;
/** The code of a line that is not JSON. */
export const parseError = -32700;
const invalidRequest = -32600;

/** Resolves when more can be written, and when the output is closed. */
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

/** Finds the id where SDKs write it, first or last. No argument can be mistaken for it there. */
function idAtAnEnd(line: Buffer): string | number | undefined {
  const head = line.subarray(0, 200).toString();
  const tail = line.subarray(-200).toString();
  const [, text] =
    /^\{"jsonrpc":"2\.0","id":(\d{1,15}|"[^"\\]{1,100}"),/.exec(head) ??
    /,"id":(\d{1,15}|"[^"\\]{1,100}")\}\s*$/.exec(tail) ??
    [];
  return text === undefined ? undefined : JSON.parse(text);
}
