import { type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, vi } from "vitest";
import { launcher } from "../../../test/support/built-program.ts";
import { type CliWorkspace, cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { isAlive } from "../../../test/support/is-alive.ts";
import { type McpProcess, mcpProcess, talkTo } from "../../../test/support/mcp-process.ts";

const environmentOf = ({ home }: CliWorkspace) => ({
  ...process.env,
  TOOLCRIB_HOME: home,
  TOOLCRIB_TOKEN: undefined,
});

/** Serves a folder, with a running call that ignores SIGTERM, and a background process. */
async function busyServer(
  fixture: CliWorkspace,
  start = mcpProcess,
): Promise<{ server: McpProcess; pids: number[] }> {
  const server = await start(["--mode", "yolo", "--sandbox", "none"], {
    cwd: fixture.workspace,
    env: environmentOf(fixture),
  });
  await server.call("process_start", { command: "echo $$ > beside; exec sleep 300", name: "beside" });
  const command = "trap '' TERM; echo $$ > stubborn; sleep 300 & echo $! > below; while :; do sleep 1; done";
  void server.request("tools/call", { name: "shell_run", arguments: { command } }).catch(() => {});
  const pids = await vi.waitFor(
    () =>
      ["beside", "stubborn", "below"].map((name) => {
        const pid = Number(fixture.read(name));
        if (pid === 0) throw new Error("not yet");
        return pid;
      }),
    { timeout: 20_000, interval: 50 },
  );
  return { server, pids };
}

async function untilGone(pids: readonly number[]): Promise<void> {
  while (pids.some(isAlive)) await wait(20);
}

describe("a server over standard input and output", () => {
  const ends: readonly (readonly [string, (server: McpProcess) => void])[] = [
    ["its input ends", ({ child }) => void child.stdin!.end()],
    [
      "its output breaks",
      ({ child, write }) => {
        child.stdout!.destroy();
        write(`${JSON.stringify({ jsonrpc: "2.0", id: 99, method: "tools/list" })}\n`);
      },
    ],
    ["it gets SIGTERM", ({ child }) => void child.kill("SIGTERM")],
    ["it gets SIGINT", ({ child }) => void child.kill("SIGINT")],
    ["it gets SIGHUP", ({ child }) => void child.kill("SIGHUP")],
  ];
  it.each(ends)(
    "leaves nothing behind when %s, and records what it ended",
    { tags: "slow" },
    async (_name, end) => {
      await using fixture = cliWorkspace();
      const { server, pids } = await busyServer(fixture);
      end(server);
      expect(await server.exited).toBe(0);
      await untilGone(pids);
      const { stdout } = await fixture.run("log", "--json");
      expect(stdout).toContain("trap '' TERM");
    },
  );

  it("exits with its parent, even while another process holds its input open", { tags: "slow" }, async () => {
    await using fixture = cliWorkspace();
    const starter = `
      const { spawn } = require("node:child_process");
      const server = spawn(process.execPath, process.argv.slice(1), { stdio: "inherit" });
      require("node:fs").writeFileSync("server", String(server.pid));
    `;
    const start: typeof mcpProcess = async (words, options) => {
      const parent = spawn(process.execPath, ["-e", starter, launcher, "mcp", ...words], {
        stdio: ["pipe", "pipe", "inherit"],
        ...options,
      });
      return talkTo(parent, { input: parent.stdin!, output: parent.stdout! });
    };
    const { server, pids } = await busyServer(fixture, start);
    server.child.kill("SIGKILL");
    await untilGone([Number(fixture.read("server")), ...pids]);
    server.child.stdin!.end();
  });

  it("changes nothing in a home folder that no option names", { tags: "slow" }, async () => {
    await using fixture = cliWorkspace();
    const { workspace } = fixture;
    const env = { ...environmentOf(fixture), HOME: workspace };
    const options = { cwd: workspace, env, stdio: ["pipe", "pipe", "pipe"] as SpawnOptions["stdio"] };
    // As the entries of clients start it by npx: a folder that the client chose is not one that the user named.
    const words = ["--cwd", workspace, "--mode", "yolo", "--sandbox", "none", "--rule-file", "my.rules"];
    fixture.write("my.rules", "deny read secret.txt\n");
    const unnamed = await mcpProcess(words, { ...options, cwd: "/" });
    let warnings = "";
    unnamed.child.stderr!.setEncoding("utf8").on("data", (text) => {
      warnings += text;
    });
    const write = { path: "b.txt", content: "new\n" };
    const refusals = [
      await unnamed.call("file_write", write),
      await unnamed.call("shell_run", { command: "touch c.txt" }),
      await unnamed.call("shell_run", { command: "ls" }),
    ];
    const byRule = await unnamed.call("file_read", { path: "secret.txt" });
    unnamed.child.stdin!.end();
    await unnamed.exited;
    const named = await mcpProcess(["--mode", "yolo", "--workspace", "."], options);
    const written = await named.call("file_write", write);
    named.child.stdin!.end();
    await named.exited;
    const reason = `Toolcrib was started in ${workspace} without --workspace`;
    expect(refusals.map((text) => [text.startsWith("Denied: "), text.includes(reason)])).toEqual([
      [true, true],
      [true, true],
      [false, false],
    ]);
    expect(byRule).toContain("my.rules:1");
    expect([warnings.includes(reason), warnings.includes("add --workspace DIR"), written]).toEqual([
      true,
      true,
      expect.stringContaining("b.txt"),
    ]);
  });

  it("works in the client's root when it was started in the home folder, unless a workspace is named", {
    tags: "slow",
  }, async () => {
    await using fixture = cliWorkspace();
    const { workspace } = fixture;
    fixture.write("project/a.txt", "one\n");
    const env = { PATH: process.env.PATH ?? "", TOOLCRIB_HOME: fixture.home, HOME: workspace };
    const changed = await Promise.all(
      [[], ["--workspace", "."]].map(async (words, at) => {
        const client = new Client({ name: "trial", version: "1" }, { capabilities: { roots: {} } });
        const roots = ["/", workspace, join(workspace, "project")];
        client.setRequestHandler("roots/list", () => ({
          roots: roots.map((root) => ({ uri: pathToFileURL(root).href })),
        }));
        const args = [launcher, "mcp", ...words];
        await client.connect(
          new StdioClientTransport({
            command: process.execPath,
            args,
            cwd: workspace,
            env,
            stderr: "ignore",
          }),
        );
        await client.callTool({ name: "file_write", arguments: { path: `made-${at}.txt`, content: "x" } });
        await client.close();
        return [`project/made-${at}.txt`, `made-${at}.txt`].map((path) => existsSync(join(workspace, path)));
      }),
    );
    expect(changed).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it("survives invalid messages", { tags: "slow" }, async () => {
    await using fixture = cliWorkspace();
    const server = await mcpProcess([], {
      cwd: fixture.workspace,
      env: environmentOf(fixture),
      stdio: ["pipe", "pipe", "ignore"],
    });
    server.write(
      'nonsense\n{"jsonrpc"\n[]\n{"jsonrpc":"2.0","id":{}}\n{"jsonrpc":"2.0","method":7}\n\u0000\n',
    );
    expect(await server.call("text_echo", { text: "here" })).toBe("here");
    server.child.stdin!.end();
    expect(await server.exited).toBe(0);
  });

  it("reports a missing folder at once", async () => {
    await using fixture = cliWorkspace();
    const { exit, stderr } = await fixture.run("mcp", "--workspace", "nowhere");
    expect([exit, stderr]).toEqual([2, expect.stringContaining("nowhere cannot be opened")]);
  });
});

describe("a server over HTTP", () => {
  /** Starts a server and reads its output. */
  async function started(
    fixture: CliWorkspace,
    words: readonly string[],
    env: NodeJS.ProcessEnv = environmentOf(fixture),
  ) {
    const child = spawn(process.execPath, [launcher, "mcp", ...words], {
      cwd: fixture.workspace,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const next = async () => String((await lines.next()).value);
    const exited = once(child, "exit").then(([code]) => code as number | null);
    const end = async () => void child.kill("SIGKILL");
    return { child, next, exited, [Symbol.asyncDispose]: end };
  }

  it("prints its address and token, keeps the token private, and deletes it at the end", {
    tags: "slow",
  }, async () => {
    await using fixture = cliWorkspace();
    await using server = await started(fixture, ["--http", "0"]);
    const url = await server.next();
    const [, token] = /^Authorization: Bearer (\S{43})$/.exec(await server.next())!;
    const [, file = ""] = /^\(also in (.*)\)$/.exec(await server.next())!;
    expect([url, readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual([
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/),
      `${token}\n`,
      0o600,
    ]);
    server.child.kill("SIGTERM");
    expect([await server.exited, existsSync(file)]).toEqual([0, false]);
  });

  it("hides its token, which gives the right to approve, from commands", { tags: "slow" }, async () => {
    await using fixture = cliWorkspace();
    const secret = "a-secret-of-the-user";
    const rules = ["--mode", "yolo", "--sandbox", "none", "--rule", "variables all"];
    await using server = await started(fixture, ["--http", "0", ...rules], {
      ...environmentOf(fixture),
      TOOLCRIB_TOKEN: secret,
    });
    const client = new Client({ name: "test", version: "1" });
    const headers = { Authorization: `Bearer ${secret}` };
    const url = new URL(await server.next());
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    const command = 'test -z "$TOOLCRIB_TOKEN" && echo none';
    const { content } = await client.callTool({ name: "shell_run", arguments: { command } });
    await client.close();
    expect(content).toEqual([{ type: "text", text: expect.stringMatching(/^none\n/) }]);
    server.child.kill("SIGINT");
    expect(await server.exited).toBe(0);
  });

  it.each([
    [["--http", "0.0.0.0:0"], "A token is required, because other machines can reach 0.0.0.0"],
    [["--http", "[::]:0"], "A token is required, because other machines can reach ::"],
    [["--http", "nonsense"], "--http must be a port"],
    [["--http", "70000"], "--http must be a port"],
    [["--http", "0", "--token-file", "../home/nowhere"], "The token file cannot be read"],
    [["--http", "0", "--token-file", "../home/short"], "The token must have at least 16 characters"],
    [["--http", "0", "--token-file", "inside"], "is in the workspace, where tools can read it"],
    [["--http", "0", "--oauth-audience", "x"], "--oauth-resource and --oauth-audience need --oauth-issuer"],
    [["--http", "0", "--oauth-issuer", "http://login.example"], "The OAuth issuer is not an https address"],
    [
      ["--http", "0.0.0.0:0", "--oauth-issuer", "https://login.example"],
      "--oauth-issuer needs the address that clients use for this server",
    ],
  ])("refuses %j", async (words, message) => {
    await using fixture = cliWorkspace();
    fixture.write(join(fixture.home, "short"), "abc\n");
    fixture.write("inside", "a-secret-of-the-user\n");
    const { exit, stderr } = await fixture.run("mcp", ...words);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
