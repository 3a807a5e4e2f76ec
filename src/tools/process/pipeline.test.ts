import { expect, it } from "vitest";
import { type TemporaryToolcrib, temporaryToolcrib } from "../../../test/support/temporary-toolcrib.ts";
import type { CallEvent } from "../../toolcrib/index.ts";

it("records what an undo will not restore, also when the start fails", { tags: "slow" }, async () => {
  await using fixture = await temporaryToolcrib({ mode: "yolo" });
  const { crib } = fixture;
  const first = await crib.call("process.start", { command: "echo first > file; sleep 60", name: "web" });
  const again = await crib.call("process.start", { command: "sleep 60", name: "web" });
  const [second, record] = crib.log({ limit: 2 });
  const undone = await crib.call("journal.undo", { call: first.callId });
  expect([
    first.content.includes("[Undo does not cover what a process changes after the call that started it.]"),
    again.error,
    [second, record].map((call) => call?.notCovered.filter((what) => what.startsWith("what a process"))),
    undone.isError,
  ]).toEqual([
    true,
    {
      code: "already-exists",
      message: 'A process named "web" is already running',
      hint: "Choose another name, or end it with process.stop.",
    },
    [[later], [later]],
    false,
  ]);
  expect(() => fixture.read("file")).toThrow("ENOENT");
});

const later = "what a process changes after the call that started it";

it("asks for approval to start or send input, but not to inspect or stop", async () => {
  await using fixture = await temporaryToolcrib({ mode: "safe" });
  const call = async (tool: string, input: object) =>
    (await fixture.crib.call(tool, input)).error?.code ?? "ok";
  expect({
    start: await call("process.start", { command: "touch started; sleep 60" }),
    input: await call("process.input", { name: "web", text: "x" }),
    list: await call("process.list", {}),
    output: await call("process.output", { name: "web" }),
    wait: await call("process.wait", { name: "web" }),
    stop: await call("process.stop", { name: "web" }),
  }).toEqual({
    start: "needs-approval",
    input: "needs-approval",
    list: "ok",
    output: "not-found",
    wait: "not-found",
    stop: "not-found",
  });
});

it("stores output under a handle when there is too much to hold", { tags: "slow" }, async () => {
  await using fixture = await temporaryToolcrib({ mode: "yolo" });
  const { crib } = fixture;
  await crib.call("process.start", { command: "seq 300000", name: "many", ready: { line: "^never$" } });
  const { data } = await crib.call("process.output", { name: "many", cursor: 0 });
  const { lost, status } = data as { lost: number; status: { output: string } };
  const read = await crib.call("file.read", { path: status.output, offset: 1, limit: 3 });
  const found = await crib.call("search.grep", { path: status.output, pattern: "^299999$" });
  expect([lost > 500_000, read.content.split("\n").slice(0, 3), found.isError]).toEqual([
    true,
    [expect.stringMatching(/1$/), expect.stringMatching(/2$/), expect.stringMatching(/3$/)],
    false,
  ]);
});

it("reports what a start waits for, and ends the process when the start is cancelled", async () => {
  await using fixture = await temporaryToolcrib({ mode: "yolo" });
  const cancelled = new AbortController();
  const messages = progressOf(fixture, () => cancelled.abort());
  const input = { command: "sleep 60", name: "slow", ready: { line: "never" } };
  const { error } = await fixture.crib.call("process.start", input, { signal: cancelled.signal });
  expect([error?.code, messages]).toEqual(["cancelled", ['slow runs; waiting for a line with "never"']]);
  // A cancelled call answers before the process has ended.
  await expect
    .poll(async () => (await fixture.crib.processes()).map(({ name, state }) => [name, state]), {
      timeout: 60_000,
    })
    .toEqual([["slow", "ended"]]);
});

it("ends with the instance", { tags: "slow" }, async () => {
  await using fixture = await temporaryToolcrib({ mode: "yolo" });
  const { crib } = fixture;
  await crib.call("process.start", { command: "sleep 60", name: "web" });
  const before = (await crib.processes()).map(({ state }) => state);
  await crib.close();
  expect([before, (await crib.processes()).map(({ state }) => state)]).toEqual([["running"], ["ended"]]);
});

it("runs a command of shell.run in the background", { tags: "slow" }, async () => {
  await using fixture = await temporaryToolcrib({ mode: "yolo" });
  const { crib } = fixture;
  const { data } = await crib.call("shell.run", { command: "echo up; sleep 60", background: true });
  const { process, exitCode } = data as { process: { name: string; state: string }; exitCode: null };
  expect([exitCode, process.name, process.state]).toEqual([null, "sleep-60", "running"]);
});

function progressOf({ crib }: TemporaryToolcrib, received: () => void): string[] {
  const messages: string[] = [];
  crib.events.on((event: CallEvent) => {
    if (event.type !== "tool-progress") return;
    messages.push(event.message);
    received();
  });
  return messages;
}

it("streams the output of a process while a call waits for it", async () => {
  await using fixture = await temporaryToolcrib({ mode: "yolo" });
  const received: string[] = [];
  const onEvent = (event: CallEvent) =>
    event.type === "tool-output" && received.push(`${event.stream}: ${event.text}`);
  const command = "echo one; read -r line; echo $line >&2; exit 2";
  await fixture.crib.call("process.start", { command, name: "talk", ready: { line: "one" } }, { onEvent });
  await fixture.crib.call("process.input", { name: "talk", text: "two\n" }, { onEvent });
  await fixture.crib.call("process.wait", { name: "talk" }, { onEvent });
  expect(received).toEqual(["stdout: one\n", "stderr: two\n"]);
});
