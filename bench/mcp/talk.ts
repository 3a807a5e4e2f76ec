import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

interface Message {
  readonly id?: number;
  readonly result?: {
    readonly isError?: boolean;
    readonly content?: readonly { readonly text: string }[];
    readonly tools?: readonly ListedTool[];
  };
  readonly error?: { readonly message: string };
}

interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: object;
}

/** A minimal client, so that the measured time is the server's. */
export class Talk {
  readonly child: ChildProcess;
  tools: readonly ListedTool[] = [];
  readonly #waiting = new Map<number, (message: Message) => void>();
  #count = 0;

  constructor(words: readonly string[], options: Pick<SpawnOptions, "cwd" | "env"> = {}) {
    this.child = spawn(process.execPath, words, { ...options, stdio: ["pipe", "pipe", "ignore"] });
    const ended: Message = { error: { message: "The server has ended." } };
    this.child.on("exit", () => {
      for (const answer of this.#waiting.values()) answer(ended);
    });
    let unread = "";
    this.child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      const lines = (unread + text).split("\n");
      unread = lines.pop()!;
      for (const line of lines) {
        // Some servers print a greeting before their messages.
        if (!line.startsWith("{")) continue;
        const message: Message = JSON.parse(line);
        if (message.id !== undefined) this.#waiting.get(message.id)?.(message);
      }
    });
  }

  /** Does the handshake and lists the tools, as every client does first. */
  async open(): Promise<this> {
    const clientInfo = { name: "bench", version: "1" };
    await this.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    this.#send({ jsonrpc: "2.0", method: "notifications/initialized" });
    this.tools = (await this.request("tools/list", {})).result?.tools ?? [];
    return this;
  }

  async request(method: string, params: object): Promise<Message> {
    this.#count += 1;
    const id = this.#count;
    const answer = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.#send({ jsonrpc: "2.0", id, method, params });
    const message = await answer;
    this.#waiting.delete(id);
    return message;
  }

  /** Returns the number of characters in a tool's answer. Throws the error of a failed call. */
  async call(name: string, input: object): Promise<number> {
    return (await this.answer(name, input)).length;
  }

  /** Returns the text of a tool's answer. Throws the error of a failed call. */
  async answer(name: string, input: object): Promise<string> {
    const { result, error } = await this.request("tools/call", { name, arguments: input });
    const text = result?.content?.map((block) => block.text).join("\n") ?? "";
    if (error || result?.isError) throw new Error(error?.message ?? text);
    return text;
  }

  /** Resident memory, in megabytes. */
  get memoryMb(): number {
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.child.pid}/status`, "utf8"))!;
    return Number(kilobytes) / 1024;
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, "exit");
    this.child.stdin!.end();
    const force = setTimeout(() => this.child.kill("SIGKILL"), 5_000);
    await exited;
    clearTimeout(force);
  }

  #send(message: object): void {
    this.child.stdin!.write(`${JSON.stringify(message)}\n`);
  }
}
