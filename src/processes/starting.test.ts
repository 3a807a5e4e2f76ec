import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isAlive } from "../../test/support/is-alive.ts";
import { processFixture, refusalOf, steady } from "../../test/support/process-fixture.ts";
import { toCommandLine } from "../lib/text/shell-quote.ts";

const node = toCommandLine([process.execPath]);

/** Redirects every path except one. */
function serve(port: number): string {
  return `exec ${node} -e 'require("node:http")
    .createServer((request, response) => response.writeHead(request.url === "/bad" ? 503 : 302).end())
    .listen(${port}, "127.0.0.1", function () { console.log("serving on " + this.address().port) })'`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

it("starts a server, detects when it is ready, and ends it", { tags: "slow" }, async () => {
  await using opened = processFixture();
  const { processes, signal } = opened;
  const port = await freePort();
  const messages: string[] = [];
  const ready = { port, line: "^serving on [0-9]+$", url: `http://localhost:${port}/health` };
  const started = await processes.start(
    { command: serve(port), name: "web", ready },
    { signal, progress: (message) => messages.push(message) },
  );
  const { text } = await processes.output("web", { maxChars: 100 });
  const ended = await processes.stop("web");
  const expected = {
    name: "web",
    kind: "process",
    command: serve(port),
    state: "ready",
    exitCode: null,
    signal: null,
    sandbox: "none",
    ports: [{ port, address: `localhost:${port}` }],
    cursor: text.length,
    output: null,
    remarks: [],
  };
  expect([steady(started), text, messages, steady(ended)]).toEqual([
    expected,
    `serving on ${port}\n`,
    [
      `web runs; waiting for port ${port} and a line with "^serving on [0-9]+$" and an answer from http://localhost:${port}/health`,
    ],
    { ...expected, state: "ended", signal: "SIGTERM" },
  ]);
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
});

it.runIf(process.platform === "linux")("does not mistake another process's port for its own", async () => {
  await using opened = processFixture();
  const { processes, signal } = opened;
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as { port: number };
    const refused = await refusalOf(
      processes.start({ command: serve(port), name: "web", ready: { port } }, { signal }),
    );
    expect(refused).toEqual({
      code: "unavailable",
      message: "web was started, but ended with exit code 1 before it was ready",
      hint: "Fix the error it printed, then start it again.",
      output: expect.stringContaining(`EADDRINUSE: address already in use 127.0.0.1:${port}`),
    });
  } finally {
    server.close();
  }
});

it("treats a server that returns only errors as not ready, and leaves it running", {
  tags: "slow",
}, async () => {
  await using opened = processFixture();
  const { processes, signal } = opened;
  const port = await freePort();
  const request = {
    command: serve(port),
    ready: { url: `http://localhost:${port}/bad` },
    readyTimeoutMs: 1_500,
  };
  const refused = await refusalOf(processes.start({ ...request, name: "web" }, { signal }));
  expect([refused, (await processes.status("web")).state]).toEqual([
    {
      code: "timeout",
      message: `web was started, but was not ready within 1.5 s: still waiting for an answer from http://localhost:${port}/bad`,
      hint:
        'It is still running: wait longer with process.wait { "name": "web", "until": "ready" }, ' +
        "look with process.output, or end it with process.stop.",
      output: `serving on ${port}\n`,
    },
    "starting",
  ]);
});

it("keeps checking whether it is ready after the start timed out", async () => {
  await using opened = processFixture();
  const { processes, signal, workspace } = opened;
  const command = "until [ -e go ]; do sleep 0.02; done; echo ready; sleep 60";
  const start = processes.start(
    { command, name: "slow", ready: { line: "ready" }, readyTimeoutMs: 50 },
    { signal },
  );
  const refused = await refusalOf(start);
  writeFileSync(join(workspace, "go"), "");
  const { state } = await processes.wait("slow", { until: "ready", timeoutMs: 30_000 }, { signal });
  expect([refused.code, state]).toEqual(["timeout", "ready"]);
});

it.each(["http://example.com/", "http://10.0.0.1:80/", "ftp://localhost/", "nonsense"])(
  "refuses %s as a readiness URL",
  async (url) => {
    await using opened = processFixture();
    const { processes, signal } = opened;
    const refused = await refusalOf(processes.start({ command: "sleep 60", ready: { url } }, { signal }));
    expect([refused, await processes.list()]).toEqual([
      {
        code: "invalid-input",
        message: `"${url}" is not an address of the process itself`,
        hint: 'Give a URL it listens on: "http://localhost:3000/health".',
        output: undefined,
      },
      [],
    ]);
  },
);

it.each([
  ["no-such-program-here", 127, "no-such-program-here: command not found\n"],
  ["echo out; echo err >&2; exit 3", 3, "err\n"],
])("reports that %s exited, with its output", async (command, exitCode, end) => {
  await using opened = processFixture();
  const { processes, signal } = opened;
  const refused = await refusalOf(processes.start({ command, name: "short" }, { signal }));
  expect([refused, steady(await processes.status("short"))]).toEqual([
    {
      code: "unavailable",
      message: `short was started, but ended with exit code ${exitCode} at once`,
      hint: "Fix the error it printed, then start it again.",
      output: expect.stringMatching(new RegExp(`${end}$`)),
    },
    expect.objectContaining({ state: "ended", exitCode, signal: null }),
  ]);
});

it("reports a command that succeeds at once as ended", async () => {
  await using opened = processFixture();
  const { processes, signal } = opened;
  const { state, exitCode } = await processes.start({ command: "echo done" }, { signal });
  expect([state, exitCode]).toEqual(["ended", 0]);
});

it("ends a command that moves to the background, and reports it", async () => {
  await using opened = processFixture();
  const { processes, signal, workspace } = opened;
  const command = "(setsid sh -c 'echo $$ > pid; exec sleep 600' &) ; until [ -s pid ]; do sleep 0.02; done";
  const refused = await refusalOf(
    processes.start({ command, name: "daemon", ready: { line: "never" } }, { signal }),
  );
  expect([refused.message, isAlive(Number(readFileSync(join(workspace, "pid"), "utf8")))]).toEqual([
    "daemon was started, but ended with exit code 0 before it was ready",
    false,
  ]);
});

it("ends the process when the start is cancelled, but not when only the wait is", {
  tags: "slow",
}, async () => {
  await using opened = processFixture();
  const { processes, signal } = opened;
  const cancelled = new AbortController();
  const start = processes.start(
    { command: "echo begun; sleep 60", name: "unwanted", ready: { line: "never" } },
    { signal: cancelled.signal, progress: () => setTimeout(() => cancelled.abort(), 20) },
  );
  const first = await refusalOf(start);
  await processes.start({ command: "sleep 60", name: "wanted" }, { signal });
  const waiting = new AbortController();
  const wait = processes.wait("wanted", { until: "exit", timeoutMs: 60_000 }, { signal: waiting.signal });
  waiting.abort();
  const second = await refusalOf(wait);
  const states = (await processes.list()).map(({ name, state }) => [name, state]);
  expect([first.code, second.code, states]).toEqual([
    "cancelled",
    "cancelled",
    [
      ["unwanted", "ended"],
      ["wanted", "running"],
    ],
  ]);
});
