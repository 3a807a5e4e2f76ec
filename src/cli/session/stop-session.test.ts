import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { text } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it, vi } from "vitest";
import { cliWithModel } from "../../../test/support/cli-with-model.ts";
import { cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { isAlive } from "../../../test/support/is-alive.ts";
import { mcpProcess } from "../../../test/support/mcp-process.ts";
import { openToolcrib } from "../../toolcrib/index.ts";

describe("toolcrib stop", () => {
  it("interrupts an agent and what it runs, and ends its process; the session can be resumed", {
    tags: "slow",
  }, async () => {
    const sleep = { name: "shell_run", input: { command: "echo $$ > pid; sleep 60" } };
    await using fixture = await cliWithModel([{ calls: [sleep] }, { text: "Going on." }]);
    const child = fixture.start(
      "run",
      "--mode",
      "yolo",
      "--sandbox",
      "none",
      "--dialect",
      "toolcrib",
      "wait",
    );
    child.stdin.end();
    const ended = Promise.all([once(child, "close"), text(child.stderr), text(child.stdout)]);
    await vi.waitFor(() => expect(fixture.read("pid")).toMatch(/^\d+\n/), { timeout: 60_000 });
    const [listed, json] = [await fixture.run("stop"), await fixture.run("stop", "--json")];
    const [running] = JSON.parse(json.stdout);
    expect(running).toMatchObject({ client: { kind: "run" }, pid: child.pid, canStop: true });
    expect(listed.stdout).toMatch(
      new RegExp(`^${running.session} {2}run {2}since .* calls? {2}process ${child.pid}\n$`),
    );
    const stopped = await fixture.run("stop", running.session.slice("session_".length, -3));
    expect(stopped).toEqual({ exit: 0, stdout: `Stopped ${running.session}.\n`, stderr: "" });
    const [[exit]] = await ended;
    expect([exit, isAlive(Number(fixture.read("pid")))]).toEqual([130, false]);
    expect(await fixture.run("stop", running.session)).toEqual({
      exit: 2,
      stdout: "",
      stderr: `The session ${running.session} is not running\nTo list running sessions, run: toolcrib stop\n`,
    });
    expect((await fixture.run("run", "--resume", "last", "go on")).stdout).toBe("Going on.\n");
  });

  it("ends the server of an MCP client, which sessions and the log name", { tags: "slow" }, async () => {
    await using fixture = cliWorkspace();
    const env = { ...process.env, TOOLCRIB_HOME: fixture.home };
    const server = await mcpProcess([], { cwd: fixture.workspace, env });
    const list = async () => JSON.parse((await fixture.run("sessions", "--json")).stdout);
    // A client is listed before its first call.
    await vi.waitFor(async () => expect((await list()).length).toBe(1), { timeout: 60_000 });
    await server.call("file_list", { path: "." });
    const client = { kind: "mcp", name: "trial", version: "1" };
    await vi.waitFor(
      async () =>
        expect(await list()).toMatchObject([{ client, calls: 1, state: "open", pid: server.child.pid }]),
      { timeout: 60_000 },
    );
    const [{ session }] = await list();
    const log = JSON.parse((await fixture.run("log", "--json")).stdout);
    expect(log).toMatchObject([{ tool: "file.list", session, client }]);
    expect((await fixture.run("stop", session, "--json")).stdout).toBe(
      `${JSON.stringify({ session, pid: server.child.pid, stopped: true })}\n`,
    );
    expect(await server.exited).toBe(0);
    const { stdout } = await fixture.run("sessions");
    expect(stdout).toMatch(new RegExp(`^${session} {2}.* {2}ended {2}1 call {2}mcp trial 1\n$`));
    expect((await fixture.run("sessions", "show", session)).stderr).toBe(
      `The session ${session} has no conversation\nTo list its calls: toolcrib log --session ${session}\n`,
    );
  });

  it("ends one session of a server for several MCP clients, and leaves the server and the others", {
    tags: "slow",
  }, async () => {
    await using fixture = cliWorkspace();
    const child = fixture.start("mcp", "--http", "127.0.0.1:0");
    const lines = createInterface({ input: child.stdout });
    const read: string[] = [];
    for await (const line of lines) if (read.push(line) === 3) break;
    const connect = async () => {
      const transport = new StreamableHTTPClientTransport(new URL(read[0]!), {
        requestInit: { headers: { authorization: read[1]!.replace("Authorization: ", "") } },
      });
      const client = new Client({ name: "trial", version: "1" });
      await client.connect(transport);
      await client.callTool({ name: "file_list", arguments: { path: "." } });
      return client;
    };
    const [one, other] = [await connect(), await connect()];
    const list = async () => JSON.parse((await fixture.run("stop", "--json")).stdout);
    const listed = { pid: child.pid, canStop: true };
    // Reads are recorded a moment later.
    await vi.waitFor(async () => expect(await list()).toMatchObject([listed, listed]), { timeout: 60_000 });
    const running = await list();
    // The latest is the first.
    const { session } = running[1];
    expect(await fixture.run("stop", session)).toEqual({
      exit: 0,
      stdout: `Stopped ${session}.\n`,
      stderr: "",
    });
    expect(await list()).toMatchObject([{ session: running[0].session }]);
    const call = { name: "file_list", arguments: { path: "." } };
    await expect(one.callTool(call)).rejects.toThrow("Session not found");
    expect((await other.callTool(call)).isError).toBeFalsy();
    await other.close();
    child.kill("SIGTERM");
    await once(child, "exit");
  });

  it("names programs that it does not end, and refuses commands of tools", async () => {
    await using fixture = cliWorkspace();
    const crib = await openToolcrib({
      workspace: fixture.workspace,
      stateDirectory: fixture.home,
      configDirectory: join(fixture.home, "config"),
    });
    await crib.call("file.write", { path: "a.txt", content: "" });
    const [refused, open] = [
      await fixture.run("stop", crib.session),
      await fixture.run("sessions", "--json"),
    ];
    expect(refused).toEqual({
      exit: 1,
      stdout: "",
      stderr: `The session ${crib.session} is open in a program that uses the library, process ${process.pid}\nEnd it there: kill ${process.pid}\n`,
    });
    expect(JSON.parse(open.stdout)).toMatchObject([{ session: crib.session, client: { kind: "library" } }]);
    await crib.close();
    expect(await fixture.run("stop")).toEqual({
      exit: 0,
      stdout: "",
      stderr: `Nothing runs in ${fixture.workspace}.\n`,
    });
    expect((await fixture.run("stop", "session_unknown")).exit).toBe(2);
    await using tool = cliWorkspace({ TOOLCRIB_RUN: "1" });
    expect(await tool.run("stop", "session_unknown")).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining("A command that a tool runs cannot stop sessions"),
    });
  });
});
