import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type ServeHttpOptions, serveHttp } from "../../../src/mcp/server/http/serve-http.ts";
import { openToolcrib, type Toolcrib, type ToolcribOptions } from "../../../src/toolcrib/index.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { clientOptions, type Era } from "./client-fixture.ts";

const token = "a-token-for-trials";
export const headers = { authorization: `Bearer ${token}` };

/** A server with real instances in a temporary folder. */
export async function httpFixture(
  options: Partial<ServeHttpOptions> = {},
  toolcrib: (instance: number) => ToolcribOptions = () => ({}),
) {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "work");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "a.txt"), "one\n");
  const instances: Toolcrib[] = [];
  let opened = 0;
  const served = await serveHttp({
    token,
    port: 0,
    open: async () => {
      const crib = await openToolcrib({
        workspace,
        mode: "safe",
        stateDirectory: join(folder.path, "state"),
        configDirectory: join(folder.path, "config"),
        ...toolcrib(opened++),
      });
      instances.push(crib);
      return crib;
    },
    ...options,
  });
  const clients: { close(): Promise<void> }[] = [];
  const connect = async (era: Era, capabilities = {}) => {
    const client = new Client({ name: "trial", version: "1" }, clientOptions(era, capabilities));
    const transport = new StreamableHTTPClientTransport(new URL(served.url), { requestInit: { headers } });
    await client.connect(transport);
    clients.push(client);
    return { client, transport };
  };
  return {
    ...served,
    workspace,
    instances,
    connect,
    post: (body: unknown, more: Record<string, string> = {}) =>
      fetch(served.url, {
        method: "POST",
        headers: {
          ...headers,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...more,
        },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) await client.close().catch(() => {});
      await served.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The first request of a raw client. */
export const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
