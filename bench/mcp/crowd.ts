import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Crowd {
  /** The read of one client without others. */
  readonly aloneMs: number;
  readonly worstMs: number;
  /** The longest time from a connection to the answer of its read. */
  readonly worstWaitMs: number;
  /** The largest number of other clients that got their list of tools while one waited for its read. */
  readonly overtaken: number;
  readonly worstDelayMs: number;
}

/** Fifty clients connect at once to a server that has just started. Each lists the tools and reads a file. */
export async function measureCrowd(folder: string, clients = 50): Promise<Crowd> {
  mkdirSync(join(folder, "work"), { recursive: true });
  writeFileSync(join(folder, "work", "a.txt"), "one\n");
  const server = fork(fileURLToPath(new URL("crowd-server.ts", import.meta.url)), [folder]);
  const [{ url }] = (await once(server, "message")) as [{ url: string }];
  let listed = 0;
  const talk = async () => {
    const client = new Client(url);
    const connected = performance.now();
    await client.post("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "bench", version: "1" },
    });
    await client.post("tools/list", {});
    listed += 1;
    const [before, at] = [listed, performance.now()];
    const text = await client.post("tools/call", { name: "file_read", arguments: { path: "a.txt" } });
    if (!text.includes("one")) throw new Error(text);
    const ended = performance.now();
    return { ms: ended - at, waitMs: ended - connected, overtaken: listed - before };
  };
  server.send("reset");
  const all = await Promise.all(Array.from({ length: clients }, talk));
  const { ms: aloneMs } = await talk();
  server.send("end");
  const [{ worstDelayMs }] = (await once(server, "message")) as [{ worstDelayMs: number }];
  await once(server, "exit");
  return {
    aloneMs,
    worstMs: Math.max(...all.map(({ ms }) => ms)),
    worstWaitMs: Math.max(...all.map(({ waitMs }) => waitMs)),
    overtaken: Math.max(...all.map(({ overtaken }) => overtaken)),
    worstDelayMs,
  };
}

class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;
  #session: string | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  async post(method: string, params: object): Promise<string> {
    const headers = {
      authorization: "Bearer bench",
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(this.#session !== undefined && { "mcp-session-id": this.#session }),
    };
    const sent = request(this.#url, { method: "POST", agent: this.#agent, headers });
    sent.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    const [response] = await once(sent, "response");
    this.#session ??= response.headers["mcp-session-id"];
    let text = "";
    for await (const part of response) text += part;
    return text;
  }
}
