import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";

interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read results of many methods
  readonly result?: any;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly code: string; readonly hint: string | null };
  };
}

/** A client of `toolcrib rpc` in another process. `await using` disconnects, and waits for the end. */
export class RpcClient implements AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  /** Every line of standard output, parsed. A line that is not JSON fails the test. */
  readonly lines: Message[] = [];
  readonly exited: Promise<number | null>;
  stderr = "";
  /** Answers requests of the server. Undefined: no answer. */
  answer: (method: string, params: Record<string, unknown>) => object | undefined = () => undefined;
  #count = 0;
  #unread = "";
  readonly #watchers = new Set<() => void>();

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    this.exited = once(child, "close").then(([code]) => code as number | null);
    child.stdin.on("error", () => {});
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    child.stdout.setEncoding("utf8").on("data", (text: string) => this.#read(text));
  }

  /** Sends a request and returns its id. */
  send(method: string, params: object = {}, id: string | number = ++this.#count): string | number {
    this.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return id;
  }

  /** Sends a request and returns its response. */
  async ask(method: string, params: object = {}): Promise<Message> {
    return this.response(this.send(method, params));
  }

  notify(method: string, params: object): void {
    this.write(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`);
  }

  write(text: string | Uint8Array): void {
    this.child.stdin.write(text);
  }

  response(id: string | number | null): Promise<Message> {
    return this.seen((line) => line.method === undefined && line.id === id);
  }

  /** Returns the first line that fits, when it comes. */
  async seen(fits: (line: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.lines.find(fits);
      if (found) return found;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#watchers.add(resolve);
      const ended = this.exited.then(() => "ended");
      if ((await Promise.race([promise, ended])) === "ended" && !this.lines.some(fits))
        throw new Error(`The server ended. ${this.stderr}`);
    }
  }

  /** The events of the notifications so far. */
  get events(): readonly Record<string, unknown>[] {
    return this.lines.flatMap(({ method, params }) =>
      method === "event" ? [params!.event as Record<string, unknown>] : [],
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.stdin.end();
    await this.exited;
  }

  #read(text: string): void {
    const lines = (this.#unread + text).split("\n");
    this.#unread = lines.pop()!;
    for (const line of lines) {
      const message: Message = JSON.parse(line);
      this.lines.push(message);
      const { id, method, params = {} } = message;
      const result = method !== undefined && id !== undefined ? this.answer(method, params) : undefined;
      if (result) this.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...result })}\n`);
    }
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
  }
}
