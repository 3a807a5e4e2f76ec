import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { processRoom, refusalOf, steady } from "../../test/process-room.ts";
import { toCommandLine } from "../apps/cli/shell-words.ts";

const node = toCommandLine([process.execPath]);

/** Answers every path but one with a redirection. */
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

it("starts a server, knows when it serves, and ends it", async () => {
  await using room = processRoom();
  const { processes, signal } = room;
  const port = await freePort();
  const told: string[] = [];
  const ready = { port, line: "^serving on [0-9]+$", url: `http://localhost:${port}/health` };
  const started = await processes.start(
    { command: serve(port), name: "web", ready },
    { signal, progress: (message) => told.push(message) },
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
    ports: [{ port, address: `127.0.0.1:${port}` }],
    cursor: text.length,
    output: null,
    remarks: [],
  };
  expect([steady(started), text, told, steady(ended)]).toEqual([
    expected,
    `serving on ${port}\n`,
    [
      `web runs; waiting for port ${port} and a line with "^serving on [0-9]+$" and an answer of http://localhost:${port}/health`,
    ],
    { ...expected, state: "ended", signal: "SIGTERM" },
  ]);
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
});

it.runIf(process.platform === "linux")("does not take another's port for its own", async () => {
  await using room = processRoom();
  const { processes, signal } = room;
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
      hint: "Set right what it says, then start it again.",
      output: expect.stringContaining(`EADDRINUSE: address already in use 127.0.0.1:${port}`),
    });
  } finally {
    server.close();
  }
});

it("takes a server that only fails for one that is not ready, and leaves it running", async () => {
  await using room = processRoom();
  const { processes, signal } = room;
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
      message: `web was started, but was not ready within 1.5 s: it lacks an answer of http://localhost:${port}/bad`,
      hint:
        'It still runs: go on waiting with process.wait { "name": "web", "until": "ready" }, ' +
        "look with process.output, or end it with process.stop.",
      output: `serving on ${port}\n`,
    },
    "starting",
  ]);
});

it("goes on looking whether it is ready after the start was given up", async () => {
  await using room = processRoom();
  const { processes, signal, workspace } = room;
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
  "is no way to reach %s",
  async (url) => {
    await using room = processRoom();
    const { processes, signal } = room;
    const refused = await refusalOf(processes.start({ command: "sleep 60", ready: { url } }, { signal }));
    expect([refused, await processes.list()]).toEqual([
      {
        code: "invalid-input",
        message: `"${url}" is no address of the process itself`,
        hint: 'Give what it listens on: "http://localhost:3000/health".',
        output: undefined,
      },
      [],
    ]);
  },
);

it.each([
  ["no-such-program-here", 127, "no-such-program-here: command not found\n"],
  ["echo out; echo err >&2; exit 3", 3, "err\n"],
])("says of %s that it died, and what it said", async (command, exitCode, end) => {
  await using room = processRoom();
  const { processes, signal } = room;
  const refused = await refusalOf(processes.start({ command, name: "short" }, { signal }));
  expect([refused, steady(await processes.status("short"))]).toEqual([
    {
      code: "unavailable",
      message: `short was started, but ended with exit code ${exitCode} at once`,
      hint: "Set right what it says, then start it again.",
      output: expect.stringMatching(new RegExp(`${end}$`)),
    },
    expect.objectContaining({ state: "ended", exitCode, signal: null }),
  ]);
});

it("takes what has done its work at once for done", async () => {
  await using room = processRoom();
  const { processes, signal } = room;
  const { state, exitCode } = await processes.start({ command: "echo done" }, { signal });
  expect([state, exitCode]).toEqual(["ended", 0]);
});

it("ends what leaves for the background, and says so", async () => {
  await using room = processRoom();
  const { processes, signal, workspace } = room;
  const command = "(setsid sh -c 'echo $$ > pid; exec sleep 600' &) ; until [ -s pid ]; do sleep 0.02; done";
  const refused = await refusalOf(
    processes.start({ command, name: "daemon", ready: { line: "never" } }, { signal }),
  );
  expect([refused.message, isAlive(Number(readFileSync(join(workspace, "pid"), "utf8")))]).toEqual([
    "daemon was started, but ended with exit code 0 before it was ready",
    false,
  ]);
});

it("gives input and tells the answer, until it reads no more", async () => {
  await using room = processRoom();
  const { processes, signal } = room;
  await processes.start(
    { command: 'while read -r line; do echo "got $line"; done; echo over', name: "reader" },
    { signal },
  );
  const answers = [
    await processes.input("reader", { text: "one\n" }, { signal }),
    await processes.input("reader", { text: "two\nthree\n" }, { signal }),
    await processes.input("reader", { text: "", end: true }, { signal }),
  ];
  expect(answers.map(({ text, from, cursor, status }) => [text, from, cursor, status.state])).toEqual([
    ["got one\n", 0, 8, "running"],
    ["got two\ngot three\n", 8, 26, "running"],
    ["over\n", 26, 31, "ended"],
  ]);
  expect(await refusalOf(processes.input("reader", { text: "four\n" }, { signal }))).toEqual({
    code: "unavailable",
    message: "reader ended with exit code 0: it reads no more",
    hint: "Start it again with process.start; what it said is still there, see process.output.",
    output: undefined,
  });
});

it("says that keys mean nothing without a terminal", async () => {
  await using room = processRoom();
  const { processes, signal } = room;
  await processes.start({ command: "cat", name: "cat" }, { signal });
  expect(await refusalOf(processes.input("cat", { text: "\u0003" }, { signal }))).toEqual({
    code: "unsupported",
    message: "Keys such as Ctrl-C mean nothing to cat: it has no terminal",
    hint: 'End it with process.stop, or start it with "terminal": true.',
    output: undefined,
  });
});

it("waits for the end, for a line, for anything", async () => {
  await using room = processRoom();
  const { processes, signal } = room;
  await processes.start({ command: "cat; exit 7", name: "cat" }, { signal });
  const anything = processes.wait("cat", { until: "output", timeoutMs: 30_000 }, { signal });
  const line = processes.wait("cat", { until: "output", line: "^b$", timeoutMs: 30_000 }, { signal });
  const exit = processes.wait("cat", { until: "exit", timeoutMs: 30_000 }, { signal });
  await processes.input("cat", { text: "a\n" }, { signal });
  const first = await anything;
  await processes.input("cat", { text: "b\n" }, { signal });
  const second = await line;
  // What was said already counts, unless told from where.
  const again = await processes.wait("cat", { until: "output", line: "^a$", timeoutMs: 30_000 }, { signal });
  const late = processes.wait(
    "cat",
    { until: "output", line: "^a$", cursor: 2, timeoutMs: 30_000 },
    { signal },
  );
  const refused = refusalOf(late);
  await processes.input("cat", { text: "", end: true }, { signal });
  const last = await exit;
  expect(
    [first, second, again, last].map(({ state, exitCode, cursor }) => [state, exitCode, cursor]),
  ).toEqual([
    ["running", null, 2],
    ["running", null, 4],
    ["running", null, 4],
    ["ended", 7, 4],
  ]);
  expect(await refused).toEqual({
    code: "no-match",
    message: 'cat ended with exit code 7 without a line like "^a$"',
    hint: 'See all that it said with process.output { "name": "cat" }.',
    output: "a\nb\n",
  });
});

it("gives up waiting, and lets it run", async () => {
  await using room = processRoom();
  const { processes, signal } = room;
  await processes.start({ command: "echo here; sleep 60", name: "sleeper" }, { signal });
  const wait = (condition: object) =>
    refusalOf(processes.wait("sleeper", { until: "exit", timeoutMs: 20, ...condition }, { signal }));
  const hint =
    "It still runs: wait again with a larger timeout_ms, look with process.output, or end it with process.stop.";
  expect([
    await wait({}),
    await wait({ until: "output" }),
    await wait({ until: "output", line: "there" }),
    await wait({ until: "ready" }),
    (await processes.status("sleeper")).state,
  ]).toEqual([
    { code: "timeout", message: "sleeper has not ended within 0.02 s", hint, output: "here\n" },
    { code: "timeout", message: "sleeper has not said more within 0.02 s", hint, output: "here\n" },
    {
      code: "timeout",
      message: 'sleeper has not said a line like "there" within 0.02 s',
      hint,
      output: "here\n",
    },
    {
      code: "invalid-input",
      message: "Nobody said how to know that sleeper is ready",
      hint: 'Wait for a line instead: { "until": "output", "line": "listening" }; or start it with "ready".',
      output: undefined,
    },
    "running",
  ]);
});

it("ends what it waits for when the start is cancelled, and nothing when only the waiting is", async () => {
  await using room = processRoom();
  const { processes, signal } = room;
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

it("names processes, and speaks of those that are there", async () => {
  await using room = processRoom();
  const { processes, signal } = room;
  const start = (name?: string) => processes.start({ command: "sleep 60", name }, { signal });
  const nobody = await refusalOf(processes.status("web"));
  const names = [(await start()).name, (await start()).name, (await start("web")).name];
  const taken = await refusalOf(start("web"));
  await processes.stop("web");
  const again = await start("web");
  expect([nobody, names, taken, again.state, await refusalOf(processes.stop("server"))]).toEqual([
    {
      code: "not-found",
      message: 'There is no process "web"',
      hint: "Nothing runs: start something with process.start.",
      output: undefined,
    },
    ["sleep-60", "sleep-60-2", "web"],
    {
      code: "already-exists",
      message: 'A process "web" runs already',
      hint: "Choose another name, or end it with process.stop.",
      output: undefined,
    },
    "running",
    {
      code: "not-found",
      message: 'There is no process "server"',
      hint: "There are: sleep-60, sleep-60-2, web.",
      output: undefined,
    },
  ]);
});

it("starts fifty at once, each with its own name, output and end", async () => {
  await using room = processRoom();
  const { processes, signal } = room;
  const numbers = Array.from({ length: 50 }, (_, number) => number);
  const started = await Promise.all(
    numbers.map((number) =>
      processes.start(
        {
          command: `echo "number ${number}"; read -r; exit ${number}`,
          ready: { line: `^number ${number}$` },
        },
        { signal },
      ),
    ),
  );
  const ended = await Promise.all(
    started.map(async ({ name }) => {
      await processes.input(name, { text: "go\n" }, { signal });
      return processes.wait(name, { until: "exit", timeoutMs: 60_000 }, { signal });
    }),
  );
  expect(new Set(started.map(({ name }) => name)).size).toBe(50);
  expect(ended.map(({ exitCode }) => exitCode)).toEqual(numbers);
});

it("remembers the last twenty that have ended", async () => {
  await using room = processRoom();
  const { processes, signal } = room;
  await processes.start({ command: "sleep 60", name: "stays" }, { signal });
  for (let count = 0; count < 23; count += 1)
    await processes.start({ command: "true", name: `short-${count}` }, { signal });
  const names = (await processes.list()).map(({ name }) => name);
  expect([names.length, names[0], names[1], names.at(-1)]).toEqual([22, "stays", "short-2", "short-22"]);
});

it("ends everything with the room, also what has left its group", async () => {
  await using room = processRoom();
  const { processes, signal, workspace } = room;
  const command =
    "setsid sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 1; done' & until [ -s pid ]; do sleep 0.02; done; echo up; wait";
  await processes.start({ command, ready: { line: "up" } }, { signal });
  const pid = Number(readFileSync(join(workspace, "pid"), "utf8"));
  const before = isAlive(pid);
  await room.room.close();
  expect([before, isAlive(pid)]).toEqual([true, false]);
});

it("never shows a half of a secret, however it comes and is asked for", async () => {
  await using room = processRoom();
  const { processes, signal } = room;
  const secret = "AKIAIOSFODNN7EXAMPLQ";
  const command = `read -r; printf 'key %s' ${secret.slice(0, 10)}; sleep 0.03; echo ${secret.slice(10)}; echo end`;
  await processes.start({ command, name: "teller" }, { signal });
  const heard: string[] = [];
  const told = processes.input("teller", { text: "\n" }, { signal });
  for (let cursor = 0; !heard.join("").includes("end\n"); ) {
    const output = await processes.output("teller", { cursor, maxChars: 1_000 });
    heard.push(output.text);
    cursor = output.cursor;
    await nextTurn();
  }
  await told;
  // Not even from a cursor in the middle of where it stood.
  const parts = await Promise.all(
    Array.from({ length: 40 }, (_, cursor) => processes.output("teller", { cursor, maxChars: 1_000 })),
  );
  const all = [...heard, ...parts.map(({ text }) => text)].join("\n");
  const halves = [secret.slice(0, 10), secret.slice(10)];
  expect([heard.join(""), halves.filter((half) => all.includes(half))]).toEqual([
    expect.stringMatching(/^key \[.*\]\nend\n$/),
    [],
  ]);
});

it("reads characters that come in halves, and bytes that are none", async () => {
  await using room = processRoom();
  const { processes, signal } = room;
  const command = "printf '\\xe2\\x82'; sleep 0.05; printf '\\xac \\xff\\n'";
  const { name } = await processes.start({ command }, { signal });
  const { text } = await processes.output(name, { maxChars: 100 });
  expect(text).toBe("€ \ufffd\n");
});

function isAlive(pid: number): boolean {
  // A zombie is only a record.
  if (existsSync("/proc/self")) {
    const path = `/proc/${pid}/stat`;
    return existsSync(path) && !/\) Z /.test(readFileSync(path, "latin1"));
  }
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
