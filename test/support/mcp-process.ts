import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { launcher } from "./built-program.ts";

/** A server in a separate process, with one message per line. */
export interface McpProcess {
  readonly child: ChildProcess;
  /** Returns the result of a request. Throws its error. */
  request(method: string, params?: object): Promise<Record<string, unknown>>;
  /** Returns the text of a tool's result. */
  call(name: string, input: object): Promise<string>;
  /** Does not wait for an answer. */
  write(text: string): void;
  readonly exited: Promise<number | null>;
}

interface Streams {
  readonly input: Writable;
  readonly output: Readable;
}

/** Starts `toolcrib mcp` and does the handshake. */
export async function mcpProcess(words: readonly string[], options: SpawnOptions): Promise<McpProcess> {
  const child = spawn(process.execPath, [launcher, "mcp", ...words], {
    stdio: ["pipe", "pipe", "inherit"],
    ...options,
  });
  return talkTo(child, { input: child.stdin!, output: child.stdout! });
}

export async function talkTo(child: ChildProcess, { input, output }: Streams): Promise<McpProcess> {
  const waiting = new Map<number, (message: Message) => void>();
  let unread = "";
  output.setEncoding("utf8").on("data", (text: string) => {
    const lines = (unread + text).split("\n");
    unread = lines.pop()!;
    for (const line of lines) {
      const message: Message = JSON.parse(line);
      waiting.get(message.id)?.(message);
    }
  });
  input.on("error", () => {});
  let count = 0;
  const write = (text: string) => void input.write(text);
  const request = async (method: string, params: object = {}) => {
    count += 1;
    const id = count;
    const answer = new Promise<Message>((resolve) => waiting.set(id, resolve));
    write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const { result, error } = await answer;
    if (result === undefined) throw new Error(error?.message);
    return result;
  };
  const exited = once(child, "exit").then(([code]) => code as number | null);
  await request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "trial", version: "1" },
  });
  write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  return {
    child,
    exited,
    write,
    request,
    call: async (name, input) => {
      const { content } = await request("tools/call", { name, arguments: input });
      return (content as readonly { text: string }[]).map(({ text }) => text).join("\n");
    },
  };
}

interface Message {
  readonly id: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}
