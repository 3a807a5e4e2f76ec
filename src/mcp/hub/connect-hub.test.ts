import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
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

it("starts no servers inside a server it started, which would recurse forever", async () => {
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
    restartMs: 1,
  });
  await hub.ready;
  const [state] = hub.states();
  await hub.close();
  expect(JSON.parse(state?.said[0] ?? "null")).toEqual([
    [],
    ["No MCP servers are started: this Toolcrib is itself the MCP server of another one."],
  ]);
});
