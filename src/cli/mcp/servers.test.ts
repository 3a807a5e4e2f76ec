/** @module-tag slow */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { launcher } from "../../../test/support/built-program.ts";
import { cliWorkspace } from "../../../test/support/cli-workspace.ts";

const program = join(import.meta.dirname, "../../../test/hostile-server/server.ts");

function server(misbehaviour: string) {
  return { command: process.execPath, args: [program, misbehaviour], startTimeoutMs: 60_000 };
}

it("starts the project's servers once they are trusted, and reports the state of each", async () => {
  await using cli = cliWorkspace();
  const file = join(cli.workspace, ".toolcrib/mcp.json");
  cli.write(
    file,
    JSON.stringify({ mcpServers: { good: server("healthy"), none: { command: "no-such-program" } } }),
  );
  const untrusted = await cli.run("mcp", "servers");
  expect(untrusted).toEqual({
    exit: 0,
    stdout: "No MCP servers are configured. See: toolcrib help mcp\n",
    stderr:
      "The MCP servers in .toolcrib/mcp.json are not trusted and not started: good, none. To trust them: toolcrib mcp trust\n",
  });
  const unasked = await cli.run("mcp", "trust");
  expect([unasked.exit, unasked.stderr.split("\n").slice(-3)]).toEqual([
    4,
    ["There is no terminal to ask whether to trust these servers", "Review them, then add --yes.", ""],
  ]);
  const trusted = await cli.run("mcp", "trust", "--yes");
  expect([trusted.exit, trusted.stdout]).toEqual([
    0,
    "Trusted until the file, or a program that it names, changes.\n",
  ]);
  expect(await cli.run("mcp", "servers")).toEqual({
    exit: 1,
    stdout: "good  ready   stdio  2 tools  healthy 1\nnone  failed  stdio  0 tools\n",
    stderr: "The MCP server none: its program cannot be started (exit code 127); given up.\n",
  });
  const { stdout } = await cli.run("mcp", "untrust");
  expect(stdout).toBe("No longer trusted: they are not started.\n");
});

it("shows in the doctor the output of a server before it failed", { tags: "slow" }, async () => {
  await using cli = cliWorkspace();
  const broken = {
    command: process.execPath,
    args: ["-e", "console.error('no database at hand'); process.exit(4)"],
  };
  cli.write(
    join(cli.home, "config/mcp.json"),
    JSON.stringify({ mcpServers: { good: server("healthy"), broken } }),
  );
  const { stdout } = await cli.runProcess("doctor", "--json", "--sandbox", "none");
  const { findings } = JSON.parse(stdout) as { findings: readonly { about: string }[] };
  expect(findings.filter(({ about }) => about.startsWith("mcp"))).toEqual([
    { about: "mcp good", state: "well", message: "2 tools, healthy 1, 2025-06-18" },
    {
      about: "mcp broken",
      state: "wrong",
      message: "it ended before it listed its tools (exit code 4)",
      hint: "Its last output: no database at hand",
    },
  ]);
});

it("starts none when the instance cannot be opened", { tags: "slow" }, async () => {
  await using cli = cliWorkspace();
  const mark = join(cli.home, "started");
  const args = [
    "-e",
    `require("node:fs").writeFileSync(${JSON.stringify(mark)}, ""); setInterval(() => {}, 1e3)`,
  ];
  cli.write(
    join(cli.home, "config/mcp.json"),
    JSON.stringify({ mcpServers: { one: { command: process.execPath, args } } }),
  );
  cli.write(join(cli.home, "config/rules"), "this is no rule\n");
  const child = spawn(process.execPath, [launcher, "mcp", "--workspace", cli.workspace], {
    env: { ...process.env, TOOLCRIB_HOME: cli.home },
    stdio: ["pipe", "ignore", "pipe"],
  });
  const exited = once(child, "exit");
  try {
    let output = "";
    for await (const text of child.stderr) {
      output += text;
      if (output.includes("rule")) break;
    }
    // Long after it would have started.
    await wait(1_500);
    expect(existsSync(mark)).toBe(false);
  } finally {
    child.stdin.end();
    await exited;
  }
});
