import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isAlive } from "../../test/support/is-alive.ts";
import { processFixture, refusalOf } from "../../test/support/process-fixture.ts";
import type { Environment } from "../contract/environment.ts";

it("names processes, and lists the existing ones in errors", { tags: "slow" }, async () => {
  await using opened = processFixture();
  const { processes, signal } = opened;
  const start = (name?: string) => processes.start({ command: "sleep 60", name }, { signal });
  const unknown = await refusalOf(processes.status("web"));
  const names = [(await start()).name, (await start()).name, (await start("web")).name];
  const taken = await refusalOf(start("web"));
  await processes.stop("web");
  const again = await start("web");
  expect([unknown, names, taken, again.state, await refusalOf(processes.stop("server"))]).toEqual([
    {
      code: "not-found",
      message: 'There is no process "web"',
      hint: "Start one with process.start.",
      output: undefined,
    },
    ["sleep-60", "sleep-60-2", "web"],
    {
      code: "already-exists",
      message: 'A process named "web" is already running',
      hint: "Choose another name, or end it with process.stop.",
      output: undefined,
    },
    "running",
    {
      code: "not-found",
      message: 'There is no process "server"',
      hint: "Use one of: sleep-60, sleep-60-2, web.",
      output: undefined,
    },
  ]);
});

it("starts twenty at once, each with its own name, output and exit", { tags: "slow" }, async () => {
  await using opened = processFixture();
  const { processes, signal } = opened;
  const numbers = Array.from({ length: 20 }, (_, number) => number);
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
  expect(new Set(started.map(({ name }) => name)).size).toBe(20);
  expect(ended.map(({ exitCode }) => exitCode)).toEqual(numbers);
});

it("remembers the last twenty that have ended", { tags: "slow" }, async () => {
  await using opened = processFixture();
  const { processes, signal } = opened;
  await processes.start({ command: "sleep 60", name: "stays" }, { signal });
  for (let count = 0; count < 23; count += 1)
    await processes.start({ command: "true", name: `short-${count}` }, { signal });
  const names = (await processes.list()).map(({ name }) => name);
  expect([names.length, names[0], names[1], names.at(-1)]).toEqual([22, "stays", "short-2", "short-22"]);
});

it("ends everything when the table closes, including processes that left their group", async () => {
  await using opened = processFixture();
  const { processes, signal, workspace } = opened;
  const command =
    "setsid sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 1; done' & until [ -s pid ]; do sleep 0.02; done; echo up; wait";
  await processes.start({ command, ready: { line: "up" } }, { signal });
  const pid = Number(readFileSync(join(workspace, "pid"), "utf8"));
  const before = isAlive(pid);
  await opened.table.close();
  expect([before, isAlive(pid)]).toEqual([true, false]);
});

it("reports a process as ended when its sandbox cannot be cleaned up", async () => {
  await using folder = processFixture();
  const { environment, table: opened, signal } = folder;
  const start: Environment["start"] = async (...call) => {
    const running = await environment.start(...call);
    const exit = running.exit.then(() => Promise.reject(new Error("the disk is full")));
    return { ...running, exit };
  };
  const processes = opened.forCall({ environment: { start } as Environment });
  const { name } = await processes.start({ command: "echo up; read -r", ready: { line: "up" } }, { signal });
  await processes.input(name, { text: "", end: true }, { signal });
  const { state, remarks } = await processes.wait(name, { until: "exit", timeoutMs: 60_000 }, { signal });
  expect([state, remarks]).toEqual(["ended", ["Its sandbox was not cleaned up: the disk is full"]]);
});
