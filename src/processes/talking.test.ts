import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { processFixture, refusalOf } from "../../test/support/process-fixture.ts";

it("sends input and returns the response, until the process stops reading", { tags: "slow" }, async () => {
  await using opened = processFixture();
  const { processes, signal } = opened;
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
    message: "reader ended with exit code 0 and reads no more input",
    hint: "See its output with process.output, or start it again with process.start.",
    output: undefined,
  });
});

it("refuses keys without a terminal", { tags: "slow" }, async () => {
  await using opened = processFixture();
  const { processes, signal } = opened;
  await processes.start({ command: "cat", name: "cat" }, { signal });
  expect(await refusalOf(processes.input("cat", { text: "\u0003" }, { signal }))).toEqual({
    code: "unsupported",
    message: "Keys such as Ctrl-C do not work in cat: it has no terminal",
    hint: 'End it with process.stop, or start it with "terminal": true.',
    output: undefined,
  });
});

it("waits for the exit, a line, or any output", { tags: "slow" }, async () => {
  await using opened = processFixture();
  const { processes, signal } = opened;
  await processes.start({ command: "cat; exit 7", name: "cat" }, { signal });
  const anything = processes.wait("cat", { until: "output", timeoutMs: 30_000 }, { signal });
  const line = processes.wait("cat", { until: "output", line: "^b$", timeoutMs: 30_000 }, { signal });
  const exit = processes.wait("cat", { until: "exit", timeoutMs: 30_000 }, { signal });
  await processes.input("cat", { text: "a\n" }, { signal });
  const first = await anything;
  await processes.input("cat", { text: "b\n" }, { signal });
  const second = await line;
  // Earlier output counts, unless a cursor is given.
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
    message: 'cat ended with exit code 7 without printing a line like "^a$"',
    hint: 'See its output with process.output { "name": "cat" }.',
    output: "a\nb\n",
  });
});

it("stops waiting and leaves the process running", { tags: "slow" }, async () => {
  await using opened = processFixture();
  const { processes, signal } = opened;
  await processes.start({ command: "echo here; sleep 60", name: "sleeper" }, { signal });
  const wait = (condition: object) =>
    refusalOf(processes.wait("sleeper", { until: "exit", timeoutMs: 20, ...condition }, { signal }));
  const hint =
    "It is still running: wait with a larger timeout_ms, look with process.output, or end it with process.stop.";
  expect([
    await wait({}),
    await wait({ until: "output" }),
    await wait({ until: "output", line: "there" }),
    await wait({ until: "ready" }),
    (await processes.status("sleeper")).state,
  ]).toEqual([
    { code: "timeout", message: "sleeper has not ended within 0.02 s", hint, output: "here\n" },
    { code: "timeout", message: "sleeper has not printed anything within 0.02 s", hint, output: "here\n" },
    {
      code: "timeout",
      message: 'sleeper has not printed a line like "there" within 0.02 s',
      hint,
      output: "here\n",
    },
    {
      code: "invalid-input",
      message: 'sleeper was started without "ready", so it never becomes ready',
      hint: 'Wait for a line instead: { "until": "output", "line": "listening" }.',
      output: undefined,
    },
    "running",
  ]);
});

it("never shows part of a secret, however it arrives and is requested", { tags: "slow" }, async () => {
  await using opened = processFixture();
  const { processes, signal } = opened;
  const secret = "AKIAIOSFODNN7EXAMPLQ";
  const command = `read -r; printf 'key %s' ${secret.slice(0, 10)}; sleep 0.03; echo ${secret.slice(10)}; echo end`;
  await processes.start({ command, name: "teller" }, { signal });
  const received: string[] = [];
  const answer = processes.input("teller", { text: "\n" }, { signal });
  for (let cursor = 0; !received.join("").includes("end\n"); ) {
    const output = await processes.output("teller", { cursor, maxChars: 1_000 });
    received.push(output.text);
    cursor = output.cursor;
    await nextTurn();
  }
  await answer;
  // Not even from a cursor in the middle of the secret.
  const parts = await Promise.all(
    Array.from({ length: 40 }, (_, cursor) => processes.output("teller", { cursor, maxChars: 1_000 })),
  );
  const all = [...received, ...parts.map(({ text }) => text)].join("\n");
  const halves = [secret.slice(0, 10), secret.slice(10)];
  expect([received.join(""), halves.filter((half) => all.includes(half))]).toEqual([
    expect.stringMatching(/^key \[.*\]\nend\n$/),
    [],
  ]);
});

it("decodes characters that arrive in halves, and invalid bytes", async () => {
  await using opened = processFixture();
  const { processes, signal } = opened;
  const command = "printf '\\xe2\\x82'; sleep 0.05; printf '\\xac \\xff\\n'";
  const { name } = await processes.start({ command }, { signal });
  const { text } = await processes.output(name, { maxChars: 100 });
  expect(text).toBe("€ \ufffd\n");
});

it("waits for the exit up to the timeout, and reports how it ended instead of failing", async () => {
  await using opened = processFixture();
  const { processes, signal } = opened;
  const failed = await processes.start({ command: "echo no; exit 3", waitMs: 30_000 }, { signal });
  const goesOn = await processes.start({ command: "cat", name: "cat", waitMs: 0 }, { signal });
  expect([failed, goesOn].map(({ state, exitCode, cursor }) => [state, exitCode, cursor])).toEqual([
    ["ended", 3, 3],
    ["running", null, 0],
  ]);
});

it("shows the output that was not shown yet", async () => {
  await using opened = processFixture();
  const { processes, signal } = opened;
  await processes.start({ command: "echo one; cat", name: "cat", ready: { line: "one" } }, { signal });
  const since = async () => (await processes.output("cat", { cursor: "last", maxChars: 1000 })).text;
  const first = await since();
  const nothing = await since();
  await processes.wait("cat", { until: "ready", timeoutMs: 30_000 }, { signal });
  const found = processes.wait("cat", { until: "output", line: "^two$", timeoutMs: 30_000 }, { signal });
  const answered = await processes.input("cat", { text: "two\n" }, { signal });
  await found;
  const input = { text: "", end: true, waitMs: 30_000, cursor: "last" } as const;
  const last = await processes.input("cat", { ...input, text: "three\n" }, { signal });
  expect([first, nothing, answered.text, last.text, last.status.state, await since()]).toEqual([
    "one\n",
    "",
    "two\n",
    "three\n",
    "ended",
    "",
  ]);
});

it("provides no standard input to a process started without it", async () => {
  await using opened = processFixture();
  const { processes, signal } = opened;
  const ended = await processes.start(
    { command: "cat; echo over", input: "none", waitMs: 30_000 },
    { signal },
  );
  await processes.start({ command: "sleep 60", name: "sleeper", input: "none", waitMs: 0 }, { signal });
  const refused = await refusalOf(processes.input("sleeper", { text: "x" }, { signal }));
  expect([ended.state, ended.cursor, refused]).toEqual([
    "ended",
    5,
    {
      code: "unsupported",
      message: "sleeper was started without standard input",
      hint: "End it with process.stop. Start it again with a terminal, or with open input.",
      output: undefined,
    },
  ]);
});

it("numbers processes without duplicates", { tags: "slow" }, async () => {
  await using opened = processFixture();
  const { processes, signal } = opened;
  const start = (name: string) => processes.start({ command: "true", name, waitMs: 30_000 }, { signal });
  const names = [];
  for (const name of ["#", "bash_#", "4", "#", "#"]) names.push((await start(name)).name);
  for (let count = 0; count < 25; count += 1) await start("other-#");
  expect([...names, (await start("#")).name]).toEqual(["1", "bash_2", "4", "3", "5", "31"]);
});

it("ends a process at its time limit, and reports it", async () => {
  await using opened = processFixture();
  const { processes, signal } = opened;
  const request = { command: "sleep 60", name: "sleeper", timeoutMs: 100, waitMs: 30_000 };
  const { state, signal: endedBy, remarks } = await processes.start(request, { signal });
  expect([state, endedBy, remarks]).toEqual(["ended", "SIGTERM", ["Stopped after its time limit of 0.1 s"]]);
});
