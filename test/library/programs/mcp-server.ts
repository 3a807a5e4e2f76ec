/** A server of the program's own serves MCP, with a workspace for each customer, and a client uses it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { openToolcrib } from "toolcrib";
import { newHttpHandler } from "toolcrib/mcp";

mkdirSync("customers/ada", { recursive: true });
writeFileSync("customers/ada/notes.txt", "of Ada\n");
const mcp = newHttpHandler({
  serverInfo: { name: "acme", version: "2.0.0" },
  open: ({ tenant }) => openToolcrib({ workspace: `customers/${tenant}`, mode: "safe" }),
});
const server = createServer((request, response) => {
  const tenant = request.headers.authorization === "Bearer ada" ? "ada" : undefined;
  void mcp.listener(request, response, { tenant });
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
console.log((await fetch(url, { method: "POST", body: "{}" })).status);
// prints: 401

const client = new Client({ name: "customer", version: "1" });
await client.connect(
  new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: "Bearer ada" } } }),
);
console.log(client.getServerVersion()?.name);
// prints: acme
const { content } = await client.callTool({ name: "file_read", arguments: { path: "notes.txt" } });
console.log(JSON.stringify(content));
// prints: [{"type":"text","text":"1 | of Ada"}]
await client.close();
await mcp.close();
server.close();
server.closeAllConnections();
