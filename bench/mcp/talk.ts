import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

interface Message {
  readonly id?: number;
  readonly result?: { readonly isError?: boolean; readonly content?: readonly { readonly text: string }[] };
  readonly error?: { readonly message: string };
}

/** A minimal client, so that the measured time is the server's. */
export class Talk {
  readonly child: ChildProcess;
  readonly #waiting = new Map<number, (message: Message) => void>();
  #count = 0;

  constructor(words: readonly string[]) {
    this.child = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "ignore"] });
    let unread = "";
    this.child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      const lines = (unread + text).split("\n");
      unread = lines.pop()!;
      for (const line of lines) {
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
    await this.request("tools/list", {});
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
    const { result, error } = await this.request("tools/call", { name, arguments: input });
    const text = result?.content?.map((block) => block.text).join("\n") ?? "";
    if (error || result?.isError) throw new Error(error?.message ?? text);
    return text.length;
  }

  /** Resident memory, in megabytes. */
  get memoryMb(): number {
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.child.pid}/status`, "utf8"))!;
    return Number(kilobytes) / 1024;
  }

  async close(): Promise<void> {
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
