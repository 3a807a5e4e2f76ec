import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { builtProgram } from "../../../test/support/built-program.ts";
import { type CliWorkspace, cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { withDescriptorLimit } from "../../../test/support/descriptor-limit.ts";

function environmentOf({ home }: CliWorkspace): NodeJS.ProcessEnv {
  return { ...process.env, NODE_OPTIONS: "", TOOLCRIB_HOME: home, TOOLCRIB_TOKEN: token };
}

function filledWorkspace(): CliWorkspace {
  const fixture = cliWorkspace();
  mkdirSync(join(fixture.workspace, "a/b"), { recursive: true });
  for (const name of ["one", "two", "three"])
    writeFileSync(join(fixture.workspace, `a/b/${name}.txt`), `needle ${name}\n`);
  return fixture;
}

const calls = [
  ["file_read", { path: "a/b/one.txt" }, "1 | needle one"],
  ["search_glob", { pattern: "**/one*" }, "a/b/one.txt"],
  ["search_grep", { pattern: "(n+e+)+dle o" }, "a/b/one.txt:1:needle one"],
  ["shell_run", { command: "echo hi" }, "hi"],
] as const;

const token = "a-token-of-twenty-characters";
const saysWhy = /too many files|files are open/i;

describe.runIf(process.platform === "linux")("with few file descriptors", () => {
  it("a server under the load of 20 clients does not end and gives no wrong answer", {
    timeout: 240_000,
  }, async () => {
    await using fixture = filledWorkspace();
    const args = withDescriptorLimit(256, [
      process.execPath,
      builtProgram,
      "mcp",
      "--http",
      "0",
      "--mode",
      "yolo",
    ]);
    const server = spawn("bash", args, {
      cwd: fixture.workspace,
      env: environmentOf(fixture),
      stdio: ["ignore", "pipe", "pipe"],
    });
    try {
      let remarks = "";
      server.stderr.setEncoding("utf8").on("data", (text: string) => {
        remarks += text;
      });
      const url = await firstLine(server);
      const wrong = await Promise.all(
        Array.from({ length: 20 }, (_, client) => client).map((client) => work(url, client)),
      );
      const last = await work(url, 0);
      expect({ wrong: wrong.flat(), last, exit: server.exitCode ?? server.signalCode }).toEqual({
        wrong: [],
        last: [],
        exit: null,
      });
      expect(remarks.match(/only 256 files can be open at once/g)).toHaveLength(1);
    } finally {
      server.kill();
      if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
    }
  });

  it.each([64, 32])(
    "a single call under `ulimit -n %s` is right or says why",
    { timeout: 600_000 },
    async (limit) => {
      await using fixture = filledWorkspace();
      await promisify(execFile)("git", ["init", "-q", fixture.workspace]);
      const wrong = [];
      for (const [name, input, expected] of [...calls, ["git_status", {}, "Untracked"] as const]) {
        const words = [builtProgram, "call", name.replace("_", "."), JSON.stringify(input), "--mode", "yolo"];
        const { stdout, stderr, code } = await outcomeOf(
          execFileOf(limit, [process.execPath, ...words], fixture),
        );
        const isRight = code === 0 && stdout.includes(expected);
        if (!isRight && !(code === 1 && saysWhy.test(stderr))) wrong.push({ name, code, stdout, stderr });
      }
      expect(wrong).toEqual([]);
    },
  );
});

function execFileOf(limit: number, command: readonly string[], fixture: CliWorkspace) {
  return promisify(execFile)("bash", withDescriptorLimit(limit, command), {
    cwd: fixture.workspace,
    env: environmentOf(fixture),
  });
}

async function outcomeOf(running: ReturnType<typeof execFileOf>) {
  try {
    return { ...(await running), code: 0 };
  } catch (error) {
    return error as { readonly stdout: string; readonly stderr: string; readonly code: number | null };
  }
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  const [line] = await once(createInterface(stdout!), "line");
  return line;
}

/** Makes every call as one client; returns the answers that are neither right nor say why. */
async function work(url: string, client: number): Promise<readonly unknown[]> {
  const session = await post(url, undefined, "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: `client ${client}`, version: "1" },
  });
  const wrong: unknown[] = [];
  for (let round = 0; round < 2; round += 1) {
    for (let at = 0; at < calls.length; at += 1) {
      const [name, input, expected] = calls[(at + client) % calls.length]!;
      const { answer } = await post(url, session.id, "tools/call", { name, arguments: input });
      if (!answer.includes(expected) && !saysWhy.test(answer)) wrong.push({ client, name, answer });
    }
  }
  return wrong;
}

async function post(url: string, session: string | undefined, method: string, params: object) {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(session === undefined ? {} : { "mcp-session-id": session }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return { id: response.headers.get("mcp-session-id") ?? undefined, answer: await response.text() };
}
