import fs, { writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { connectHub } from "./connect-hub.ts";

it("does not start a program that differs from the trusted one", async () => {
  await using folder = temporaryFolder();
  writeFileSync(join(folder.path, "server.mjs"), "other");
  const files = { "server.mjs": contentHash("trusted") };
  const hub = connectHub({
    workspace: folder.path,
    servers: { theirs: { command: process.execPath, args: ["server.mjs"], files } },
    stateDirectory: join(folder.path, "state"),
  });
  await hub.ready;
  expect(hub.warnings).toEqual([
    "The MCP server theirs: server.mjs has changed since it was trusted; given up.",
  ]);
  await hub.close();
});

it("starts no servers inside a server it started, which would recurse forever", {
  tags: "slow",
}, async () => {
  await using folder = temporaryFolder();
  const inner = `
    import { connectHub } from ${JSON.stringify(join(import.meta.dirname, "connect-hub.ts"))};
    const hub = connectHub({ workspace: ".", servers: { again: { command: "false" } } });
    await hub.ready;
    console.error(JSON.stringify([hub.states(), hub.warnings]));
  `;
  writeFileSync(join(folder.path, "inner.ts"), inner);
  const hub = connectHub({
    workspace: folder.path,
    servers: { inner: { command: process.execPath, args: ["inner.ts"] } },
    stateDirectory: join(folder.path, "state"),
    times: { restartMs: 1 },
  });
  await hub.ready;
  const [state] = hub.states();
  await hub.close();
  expect(JSON.parse(state?.said[0] ?? "null")).toEqual([
    [],
    ["No MCP servers are started: this Toolcrib is itself the MCP server of another one."],
  ]);
});

it.runIf(process.platform === "linux")(
  "reads /proc for all servers together when it closes",
  { tags: "slow" },
  async () => {
    await using folder = temporaryFolder();
    const server = `
    import { createInterface } from "node:readline";
    createInterface({ input: process.stdin }).on("close", () => process.exit(0)).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      const result = method === "initialize"
        ? { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }
        : { tools: [] };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
  `;
    const given = { command: process.execPath, args: ["--input-type=module", "-e", server] };
    const servers = Object.fromEntries(Array.from({ length: 12 }, (_, number) => [`s${number}`, given]));
    const hub = connectHub({ workspace: folder.path, servers, stateDirectory: join(folder.path, "state") });
    await hub.ready;
    expect(hub.states().map(({ state }) => state)).toEqual(Array(12).fill("ready"));
    const listings = vi.spyOn(fs, "readdirSync");
    syncBuiltinESMExports();
    try {
      await hub.close();
      // Each server needs several looks, and they end at different times on a busy machine.
      expect(listings.mock.calls.filter(([path]) => path === "/proc").length).toBeLessThan(12);
    } finally {
      listings.mockRestore();
      syncBuiltinESMExports();
    }
  },
);
