import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { text } from "node:stream/consumers";
import { expect, it, vi } from "vitest";
import { cliWorkspace } from "../../../test/support/cli-workspace.ts";

async function firstLine(child: ChildProcessWithoutNullStreams): Promise<string> {
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, "line")) as [string];
  lines.close();
  return line;
}

/** An address that other devices may reach; undefined without a network. */
const ownAddress = Object.values(networkInterfaces())
  .flat()
  .find((found) => found?.family === "IPv4" && !found.internal)?.address;

function loads(address: string): Promise<Response> {
  // Node sends no Sec-Fetch-Site by itself.
  return fetch(address, { headers: { "sec-fetch-site": "none" } });
}

it("prints one line of JSON when it serves, and ends with Ctrl-C", { tags: "slow" }, async () => {
  await using fixture = cliWorkspace();
  const child = fixture.start("console", "--json");
  const line = await firstLine(child);
  const { url, ...rest } = JSON.parse(line) as { url: string };
  expect([url, rest]).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}$/), {}]);
  expect((await loads(url)).status).toBe(200);
  const errors = text(child.stderr);
  child.kill("SIGINT");
  expect([await once(child, "exit"), await errors]).toEqual([[0, null], ""]);
});

it("opens the browser at a private file, so that no process list shows the code", {
  tags: "slow",
}, async () => {
  await using fixture = cliWorkspace({ DISPLAY: ":9", WAYLAND_DISPLAY: undefined });
  const bin = join(fixture.home, "..", "bin");
  const called = join(fixture.home, "..", "called");
  fixture.write(
    join(bin, "xdg-open"),
    `#!/bin/sh\nprintf '%s\\n' "$*" > '${called}.new'\nmv '${called}.new' '${called}'\n`,
  );
  chmodSync(join(bin, "xdg-open"), 0o755);
  fixture.env.PATH = `${bin}:${fixture.env.PATH}`;
  const child = fixture.start("console");
  const address = await firstLine(child);
  await vi.waitFor(() => expect(existsSync(called)).toBe(true), { timeout: 60_000 });
  const file = readFileSync(called, "utf8").trim();
  expect(file).not.toContain("code=");
  expect([statSync(file).mode & 0o777, readFileSync(file, "utf8").includes(address)]).toEqual([0o600, true]);
  child.kill("SIGTERM");
  await once(child, "exit");
  expect(existsSync(file)).toBe(false);
});

it("names a free port when the port is in use, and refuses what is not a port", async () => {
  await using fixture = cliWorkspace();
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  try {
    const used = await fixture.run("console", "--no-open", "--port", String(port));
    expect([used.exit, used.stdout]).toEqual([1, ""]);
    expect(used.stderr).toContain(`Port ${port} is in use.`);
    expect(used.stderr).toContain("toolcrib console --port 0");
  } finally {
    server.close();
  }
  const wrong = await fixture.run("console", "--port", "99999");
  expect([wrong.exit, wrong.stderr]).toEqual([
    2,
    expect.stringContaining("--port must be a number up to 65535"),
  ]);
});

it("cannot be opened by a command of a tool, which could approve its own calls", async () => {
  await using fixture = cliWorkspace({ TOOLCRIB_RUN: "call_1" });
  const { exit, stdout, stderr } = await fixture.run("console", "--json");
  expect([exit, stdout]).toEqual([3, ""]);
  expect(stderr).toContain("A command that a tool runs cannot open the console");
});

it("prints another address on Enter", { tags: "slow" }, async () => {
  await using fixture = cliWorkspace();
  await using terminal = fixture.emulate(["console", "--no-open"]);
  await terminal.shows("Enter prints a new one");
  terminal.type("\r");
  await terminal.shows(/#code=[\s\S]*#code=/);
  terminal.type("\u0003");
  expect(await terminal.exit).toBe(0);
});

it.skipIf(ownAddress === undefined)(
  "prints an address, a code and a fingerprint for another device",
  { tags: "slow" },
  async () => {
    await using fixture = cliWorkspace();
    const child = fixture.start("console", "--json", "--pair", "--host", ownAddress!);
    const { pair } = JSON.parse(await firstLine(child)) as { pair: Record<string, string> };
    expect(pair).toEqual({
      url: expect.stringMatching(`^https://${ownAddress!.replaceAll(".", "\\.")}:\\d+$`),
      code: expect.stringMatching(/^[2-9A-Z]{4}-[2-9A-Z]{4}$/),
      fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
    });
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([0, null]);
    await using terminal = fixture.emulate(["console", "--no-open", "--pair", "--host", ownAddress!]);
    await terminal.shows("compare, then continue");
    await terminal.shows("Enter prints a new one");
    terminal.type("\r");
    await terminal.shows(/Code for another device: [2-9A-Z]{4}-[2-9A-Z]{4}/);
    terminal.type("\u0003");
    expect(await terminal.exit).toBe(0);
  },
);
