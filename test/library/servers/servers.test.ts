import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";

it.each(["express", "fastify"])("serves tenants in %s, behind its body parser", async (name) => {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib servers "));
  for (const tenant of ["ada", "bob"]) {
    mkdirSync(join(folder, "workspaces", tenant), { recursive: true });
    writeFileSync(join(folder, "workspaces", tenant, "a.txt"), `of ${tenant}\n`);
  }
  const server = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`)], {
    cwd: folder,
    env: { ...process.env, TOOLCRIB_HOME: join(folder, "home") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(server, "exit");
  try {
    const [line] = await once(createInterface(server.stdout), "line");
    const url = new URL(`http://127.0.0.1:${JSON.parse(line).port}/mcp`);
    const connect = async (key: string) => {
      const requestInit = { headers: { authorization: `Bearer ${key}` } };
      const client = new Client({ name: "test", version: "1" });
      const transport = new StreamableHTTPClientTransport(url, { requestInit });
      await client.connect(transport);
      return { client, transport };
    };
    const read = { name: "file_read", arguments: { path: "a.txt" } };
    const [ada, bob] = [await connect("key-of-ada"), await connect("key-of-bob")];
    const texts = [await ada.client.callTool(read), await bob.client.callTool(read)].map(
      ({ content: [first] }) => first?.type === "text" && first.text,
    );
    expect([texts, ada.client.getServerVersion()]).toEqual([
      ["1 | of ada", "1 | of bob"],
      { name: "acme", version: "1.0.0" },
    ]);
    const stolen = await fetch(url, {
      method: "POST",
      headers: {
        authorization: "Bearer key-of-bob",
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-session-id": ada.transport.sessionId ?? "",
        "mcp-protocol-version": "2025-11-25",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: read }),
    });
    await expect(connect("wrong")).rejects.toThrow();
    expect([stolen.status, (await stolen.text()).includes("of ada")]).toEqual([404, false]);
    await Promise.all([ada.client.close(), bob.client.close()]);
  } finally {
    server.kill("SIGTERM");
    await exited;
    rmSync(folder, { recursive: true });
  }
});
