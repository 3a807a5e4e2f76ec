/** @module-tag slow */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { launcher } from "../../../test/support/built-program.ts";
import { type CliWorkspace, cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { withDescriptorLimit } from "../../../test/support/descriptor-limit.ts";
import { rounds } from "../../../test/support/rounds.ts";

function environmentOf({ home }: CliWorkspace): NodeJS.ProcessEnv {
  return { ...process.env, NODE_OPTIONS: "", HOME: home, TOOLCRIB_HOME: home, TOOLCRIB_TOKEN: token };
}

function filledWorkspace(): CliWorkspace {
  const fixture = cliWorkspace();
  mkdirSync(join(fixture.workspace, "a/b"), { recursive: true });
  // Then git is asked which files its settings name, which needs descriptors.
  mkdirSync(fixture.home, { recursive: true });
  writeFileSync(join(fixture.home, ".gitconfig"), "[user]\n\tname = Ada\n");
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
const saysWhy = /too many (?:open )?files|files are open/i;

describe.runIf(process.platform === "linux")("with few file descriptors", () => {
  it("a server under the load of 20 clients does not end and gives no wrong answer", async () => {
    await using server = await startServer(128);
    const worked = await Promise.all(Array.from({ length: 20 }, (_, client) => work(server.url, client)));
    const { wrong, refused } = tally(worked);
    // The limit was reached, and everything works again when the sessions have ended.
    expect([wrong, refused > 0, server.ended]).toEqual([[], true, null]);
    await expect.poll(() => work(server.url, 0)).toEqual({ wrong: [], refused: 0 });
    expect(server.remarks.match(/only 128 files can be open at once/g)).toHaveLength(1);
  });

  it("a server does not end at any number of free descriptors", async () => {
    await using server = await startServer(96);
    const { port, hostname } = new URL(server.url);
    const { id } = await initialize(server.url, 0);
    const [name, input] = calls[2];
    const idle: Socket[] = [];
    const answers: string[] = [];
    const enough = rounds(6);
    // So many idle connections leave enough for every call.
    const plenty = 16;
    try {
      // Each idle connection takes a descriptor of the server, until none is left for grep.
      while (answers.filter((answer) => saysWhy.test(answer)).length < enough && idle.length < 200) {
        const socket = connect(Number(port), hostname).on("error", () => {});
        idle.push(socket);
        await once(socket, "connect");
        if (idle.length <= plenty) continue;
        answers.push((await post(server.url, id, "tools/call", { name, arguments: input })).answer);
      }
    } finally {
      for (const socket of idle) socket.destroy();
    }
    const isRight = (answer: string) => answer.includes(calls[2][2]);
    expect(answers.filter((answer) => !isRight(answer) && !saysWhy.test(answer))).toEqual([]);
    expect([answers.some(isRight), answers.some((answer) => saysWhy.test(answer)), server.ended]).toEqual([
      true,
      true,
      null,
    ]);
    await expect.poll(() => work(server.url, 0)).toEqual({ wrong: [], refused: 0 });
  });

  it.each([64, 32])("a single call under `ulimit -n %s` is right or says why", async (limit) => {
    await using fixture = filledWorkspace();
    await promisify(execFile)("git", ["init", "-q", fixture.workspace]);
    const wrong = [];
    for (const [name, input, expected] of [...calls, ["git_status", {}, "Untracked"] as const]) {
      const words = [launcher, "call", name.replace("_", "."), JSON.stringify(input), "--mode", "yolo"];
      const { stdout, stderr, code } = await outcomeOf(
        execFileOf(limit, [process.execPath, ...words], fixture),
      );
      const isRight = code === 0 && stdout.includes(expected);
      if (!isRight && !(code === 1 && saysWhy.test(stderr))) wrong.push({ name, code, stdout, stderr });
    }
    expect(wrong).toEqual([]);
  });
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

/** A server with at most `limit` open files. */
async function startServer(limit: number) {
  const fixture = filledWorkspace();
  const words = [process.execPath, launcher, "mcp", "--http", "0", "--mode", "yolo"];
  const child = spawn("bash", withDescriptorLimit(limit, words), {
    cwd: fixture.workspace,
    env: environmentOf(fixture),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let remarks = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    remarks += text;
  });
  const [url] = (await once(createInterface(child.stdout), "line")) as [string];
  return {
    url,
    get remarks() {
      return remarks;
    },
    /** How the server ended; null while it runs. */
    get ended() {
      return child.exitCode ?? child.signalCode;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      await fixture[Symbol.asyncDispose]();
    },
  };
}

interface Worked {
  /** The answers that are neither right nor say why. */
  readonly wrong: readonly unknown[];
  /** The number of calls, and of connections, that were refused for want of descriptors. */
  readonly refused: number;
}

function tally(worked: readonly Worked[]): Worked {
  return {
    wrong: worked.flatMap(({ wrong }) => wrong),
    refused: worked.reduce((sum, { refused }) => sum + refused, 0),
  };
}

/** Makes every call twice in one session, then ends it. Gives up when the server does not accept a connection. */
async function work(url: string, client: number): Promise<Worked> {
  const wrong: unknown[] = [];
  let refused = 0;
  try {
    const { id } = await initialize(url, client);
    for (let made = 0; made < 2 * calls.length; made += 1) {
      const [name, input, expected] = calls[(made + client) % calls.length]!;
      const { answer } = await post(url, id, "tools/call", { name, arguments: input });
      if (saysWhy.test(answer)) refused += 1;
      else if (!answer.includes(expected)) wrong.push({ client, name, answer });
    }
    await fetch(url, { method: "DELETE", headers: headersOf(id) });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    refused += 1;
  }
  return { wrong, refused };
}

function initialize(url: string, client: number) {
  return post(url, undefined, "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: `client ${client}`, version: "1" },
  });
}

async function post(url: string, session: string | undefined, method: string, params: object) {
  const response = await fetch(url, {
    method: "POST",
    headers: headersOf(session),
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return { id: response.headers.get("mcp-session-id") ?? undefined, answer: await response.text() };
}

function headersOf(session: string | undefined): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(session === undefined ? {} : { "mcp-session-id": session }),
  };
}
