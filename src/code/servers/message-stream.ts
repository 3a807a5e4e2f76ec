import {
  AbstractMessageReader,
  AbstractMessageWriter,
  type DataCallback,
  type Disposable,
  type Message,
} from "vscode-jsonrpc/node";
import type { RunningProcess } from "../../contract/environment.ts";

const megabyte = 1024 * 1024;
/** The most that a server may send in one message. */
const maxMessage = 64;
/** The most that it may send, and the most requests that it may make, between two answers to requests of the client. */
const maxNoise = 24;
const maxRequests = 10_000;
const maxHeaderBytes = 4096;

/**
 * Reads the messages of a server within bounds, so that a broken or hostile server cannot fill the memory. Reports the first
 * violation as an error and then reads no more.
 */
export class BoundedReader extends AbstractMessageReader {
  readonly #output: AsyncIterable<Uint8Array>;
  readonly #isAnswer: (id: unknown) => boolean;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  /** The size of the message whose header was read. */
  #expected: number | undefined;
  #bytesSinceAnswer = 0;
  #requestsSinceAnswer = 0;

  /** `isAnswer` returns whether a request with this id has been sent and was not answered before. */
  constructor({ stdout }: Pick<RunningProcess, "stdout">, isAnswer: (id: unknown) => boolean) {
    super();
    this.#output = stdout;
    this.#isAnswer = isAnswer;
  }

  listen(callback: DataCallback): Disposable {
    let isStopped = false;
    const read = async () => {
      try {
        for await (const piece of this.#output) {
          if (isStopped) continue;
          this.#take(piece);
          for (let message = this.#next(); message !== undefined; message = this.#next()) callback(message);
        }
      } catch (error) {
        this.fireError(error);
      } finally {
        this.fireClose();
      }
    };
    void read();
    return {
      dispose: () => {
        isStopped = true;
      },
    };
  }

  #take(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
  }

  #next(): Message | undefined {
    if (this.#expected === undefined && !this.#readHeader()) return undefined;
    if (this.#bytes < this.#expected!) return undefined;
    const all = this.#joined();
    const body = all.subarray(0, this.#expected);
    this.#keep(all.subarray(this.#expected));
    this.#expected = undefined;
    return this.#checked(JSON.parse(body.toString("utf8")), body.length);
  }

  #checked(message: unknown, bytes: number): Message {
    if (typeof message !== "object" || message === null)
      throw new Error("it sent a message that is not an object");
    const isAnswer = !("method" in message) && "id" in message && this.#isAnswer(message.id);
    if (!isAnswer) {
      if ("id" in message) this.#requestsSinceAnswer += 1;
      this.#bytesSinceAnswer += bytes;
      if (this.#bytesSinceAnswer > maxNoise * megabyte)
        throw new Error(`it sent more than ${maxNoise} MB without answering`);
      if (this.#requestsSinceAnswer > maxRequests)
        throw new Error(`it made more than ${maxRequests} requests without answering`);
    } else {
      this.#bytesSinceAnswer = 0;
      this.#requestsSinceAnswer = 0;
    }
    return message as Message;
  }

  /** Returns whether a whole header was read. */
  #readHeader(): boolean {
    if (this.#bytes === 0) return false;
    const all = this.#joined();
    this.#keep(all);
    const end = all.subarray(0, maxHeaderBytes).indexOf("\r\n\r\n");
    if (end === -1) {
      if (all.length > maxHeaderBytes) throw new Error("it sent output that is not a message");
      return false;
    }
    const length = /^content-length: *(\d{1,15})\s*$/im.exec(all.toString("latin1", 0, end))?.[1];
    if (length === undefined) throw new Error("it sent a message without a length");
    if (Number(length) > maxMessage * megabyte)
      throw new Error(`it sent a message of more than ${maxMessage} MB`);
    this.#expected = Number(length);
    this.#keep(all.subarray(end + 4));
    return true;
  }

  /** Does not copy a single piece, which may contain many messages. */
  #joined(): Buffer {
    const [first] = this.#pieces;
    if (first === undefined || this.#pieces.length > 1) return Buffer.concat(this.#pieces);
    return Buffer.from(first.buffer, first.byteOffset, first.length);
  }

  #keep(rest: Uint8Array): void {
    this.#pieces = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
  }
}

/** Writes messages to the standard input of a server, in order. */
export class ProcessWriter extends AbstractMessageWriter {
  readonly #process: Pick<RunningProcess, "write" | "endInput">;
  readonly #open = new Set<unknown>();
  #last: Promise<void> = Promise.resolve();

  constructor(process: Pick<RunningProcess, "write" | "endInput">) {
    super();
    this.#process = process;
  }

  /** Returns whether an id is that of a request without an answer, which it now has. */
  readonly takeAnswer = (id: unknown): boolean => this.#open.delete(id);

  write(message: Message): Promise<void> {
    if ("method" in message && "id" in message) this.#open.add(message.id);
    const body = Buffer.from(JSON.stringify(message));
    const head = Buffer.from(`Content-Length: ${body.length}\r\n\r\n`);
    const written = this.#last.then(() => this.#process.write(Buffer.concat([head, body])));
    this.#last = written.catch((error: unknown) => this.fireError(error));
    return this.#last;
  }

  end(): void {
    this.#process.endInput();
  }
}
