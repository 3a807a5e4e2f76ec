import { readFile } from "node:fs/promises";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

/** The least that the SDK can serve: one tool, no checks. */
serveStdio(() => {
  const server = new McpServer({ name: "bare", version: "1" }, { capabilities: { tools: {} } });
  const inputSchema = z.object({ path: z.string() });
  server.registerTool("read", { description: "Read a file", inputSchema }, async ({ path }) => ({
    content: [{ type: "text", text: await readFile(path, "utf8") }],
  }));
  return server;
});
