import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { processFixture } from "../../../test/support/process-fixture.ts";
import { hasTerminals } from "../../../test/support/pseudo-terminal.ts";
import { toolContext } from "../../../test/support/tool-context.ts";
import type { ProcessStatus } from "../../contract/process.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";
import { describeProcess } from "./describe-process.ts";
import { processInput } from "./input.ts";
import { processList } from "./list.ts";
import { processOutput } from "./output.ts";
import { processStart } from "./start.ts";
import { processStop } from "./stop.ts";
import { processWait } from "./wait.ts";

it("reports every step in the life of a process", async () => {
  await using opened = toolsFixture();
  const { say } = opened;
  const command = 'echo ready; while read -r line; do echo "got $line" >&2; done; exit 3';
  expect([
    await say(processList, {}),
    await say(processStart, { command, name: "echo", ready: { line: "^ready$" } }),
    await say(processInput, { name: "echo", text: "one\n" }),
    await say(processOutput, { name: "echo", cursor: 6 }),
    await say(processOutput, { name: "echo", stream: "stdout" }),
    await say(processOutput, { name: "echo", cursor: 14 }),
    await say(processInput, { name: "echo", text: "two\n", end: true }),
    await say(processWait, { name: "echo" }),
    await say(processOutput, { name: "echo" }),
    await say(processStop, { name: "echo" }),
    await say(processList, {}),
    opened.uncovered,
  ]).toEqual([
    "No processes. Start one with process.start.",
    "echo has been running for N s and is ready.\nready\n[sandbox: none]\n" +
      "[Undo does not cover what a process changes after the call that started it.]",
    "got one\necho has been running for N s and is ready.\n" +
      "[Read newer output with process.output and cursor 14.]",
    "got one\necho has been running for N s and is ready.\n[sandbox: none]\n" +
      "[Read newer output with cursor 14.]",
    "ready\necho has been running for N s and is ready.\n[sandbox: none]\n" +
      "[Read newer output with cursor 14.]",
    "[No new output.]\necho has been running for N s and is ready.\n[sandbox: none]\n" +
      "[Read newer output with cursor 14.]",
    "got two\necho exited after N s with exit code 3.",
    "ready\ngot one\ngot two\necho exited after N s with exit code 3.\n[sandbox: none]",
    "ready\ngot one\ngot two\necho exited after N s with exit code 3.\n[sandbox: none]\n[End of output.]",
    "echo exited after N s with exit code 3.\n[sandbox: none]",
    `echo exited after N s with exit code 3. Command: ${command}`,
    [
      "what a process changes after the call that started it",
      "what a process does with its input",
      "what a process does with its input",
    ],
  ]);
});

it("waits for a repeated line of a watcher", async () => {
  await using opened = toolsFixture();
  const { say, workspace } = opened;
  const command =
    'seen=; while :; do now=$(cat source 2>/dev/null); [ "$now" != "$seen" ] && echo "compiled $now"; seen=$now; sleep 0.02; done';
  writeFileSync(join(workspace, "source"), "one");
  const first = await say(processStart, { command, name: "watcher", ready: { line: "compiled" } });
  writeFileSync(join(workspace, "source"), "two");
  const second = await say(processWait, { name: "watcher", line: "compiled", cursor: 13 });
  expect([first.split("\n")[1], second]).toEqual([
    "compiled one",
    "compiled two\nwatcher has been running for N s and is ready.\n[sandbox: none]\n" +
      "[Read newer output with process.output and cursor 26.]",
  ]);
});

it.runIf(hasTerminals)("provides a terminal on request, with its size and keys", async () => {
  await using opened = toolsFixture();
  const { say } = opened;
  const command =
    "trap 'echo interrupted; exit 5' INT; tty -s && echo terminal; stty size; while :; do sleep 0.05; done";
  const started = await say(processStart, {
    command,
    name: "shell",
    terminal: true,
    ready: { line: "^[0-9]+ [0-9]+$" },
  });
  const stopped = await say(processInput, { name: "shell", text: "\u0003" });
  expect([started.split("\n").slice(1, 3), stopped]).toEqual([
    ["terminal", "40 120"],
    "^Cinterrupted\nshell exited after N s with exit code 5.",
  ]);
});

it("renders output like a terminal, without control sequences", async () => {
  await using opened = toolsFixture();
  const { say } = opened;
  const command =
    "printf '\\033[31mred\\033[0m 10%%\\r\\033[31mred\\033[0m 99%%\\n\\033]52;c;aGk=\\007end\\n'";
  await say(processStart, { command, name: "paint" });
  expect((await say(processOutput, { name: "paint" })).split("\n").slice(0, 2)).toEqual(["red 99%", "end"]);
});

it("pages the output, and reports what is no longer in memory", { tags: "slow" }, async () => {
  await using opened = toolsFixture();
  const { say } = opened;
  await say(processStart, { command: "seq 300000; sleep 60", name: "many", ready: { line: "^300000$" } });
  const first = await say(processOutput, { name: "many", cursor: 0 });
  const [missing, second] = first.split("\n");
  const cursor = Number(/continue with cursor (\d+)/.exec(first)?.[1]);
  const next = await say(processOutput, { name: "many", cursor });
  const shown = first.split("\n").filter((line) => /^\d+$/.test(line));
  expect([missing, Number(next.split("\n")[0]), Number(second) > 100_000]).toEqual([
    expect.stringMatching(/^\[\d+ bytes before this are no longer in memory\.\]$/),
    Number(shown.at(-1)) + 1,
    true,
  ]);
});

it.each([
  [{}, "web has been running for 1.5 s."],
  [{ durationMs: 90_000, quietMs: 61_000 }, "web has been running for 90 s. No output for 61 s."],
  [
    { state: "starting", durationMs: 600_000, quietMs: 200_000, waitsForInput: true },
    "web has been running for 10 min, not ready yet. No output for 3 min. It is waiting for input.",
  ],
  [
    {
      state: "ready",
      ports: [
        { port: 80, address: "127.0.0.1:8080" },
        { port: 1, address: "127.0.0.1:1" },
      ],
    },
    "web has been running for 1.5 s and is ready: port 80 at 127.0.0.1:8080, 127.0.0.1:1.",
  ],
  [{ kind: "shell", durationMs: 9_000_000 }, "web is a shell, open for 2.5 h."],
  [{ state: "ended", signal: "SIGKILL" }, "web was killed by SIGKILL after 1.5 s."],
  [{ state: "ended", exitCode: 0 }, "web exited after 1.5 s with exit code 0."],
] as const)("describes %j", (part, words) => {
  const status: ProcessStatus = {
    name: "web",
    kind: "process",
    command: "npm start",
    pid: 1,
    state: "running",
    exitCode: null,
    signal: null,
    startedAt: 0,
    durationMs: 1_500,
    sandbox: "bwrap",
    ports: [],
    cursor: 0,
    quietMs: 0,
    waitsForInput: false,
    output: null,
    remarks: [],
    ...part,
  };
  expect(describeProcess(status)).toBe(words);
});

it("shows what a start would run, including variables and directory", () => {
  expect(processStart.accesses({ command: "npm start", cwd: "web", env: { PATH: "it's" } })).toEqual([
    { kind: "execute", command: "export PATH='it'\\''s'; npm start", cwd: "web" },
  ]);
});

interface ToolsFixture extends AsyncDisposable {
  readonly workspace: string;
  readonly uncovered: readonly string[];
  /** The text for the model, without durations and details that depend on the system. */
  say<Input>(tool: Tool<Input, unknown>, input: Input): Promise<string>;
}

function toolsFixture(): ToolsFixture {
  const opened = processFixture();
  const uncovered: string[] = [];
  const context: ToolContext = {
    ...toolContext(new MemoryEnvironment()),
    processes: opened.processes,
    uncovered: (what) => uncovered.push(what),
  };
  return {
    workspace: opened.workspace,
    uncovered,
    say: async (tool, input) => {
      const { text, continuation } = await tool.run(input, context);
      const whole = continuation === undefined ? text : `${text}\n[${continuation}]`;
      return whole.replace(/(for|after) [\d.]+ s\b/g, "$1 N s").replaceAll(" It is waiting for input.", "");
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

it("waits for a command up to the time limit, and keeps it running after that", async () => {
  await using opened = toolsFixture();
  const { say } = opened;
  expect([
    await say(processStart, { command: "echo no; exit 3", name: "#", input: false, wait_ms: 30_000 }),
    [...opened.uncovered],
    await say(processStart, { command: "echo a; cat", name: "#", wait_ms: 0 }).then(firstLine),
    await say(processInput, { name: "2", text: "b\n", end: true, wait_ms: 30_000, cursor: "last" }),
    await say(processOutput, { name: "2", cursor: "last", wait_ms: 30_000 }),
    await say(processOutput, { name: "2", cursor: 0, max_chars: 2 }),
    [...opened.uncovered],
    await refusal(processStart, { command: "true", wait_ms: 5, ready: { line: "x" } }),
  ]).toEqual([
    "1 exited after N s with exit code 3.\nno\n[sandbox: none]",
    [],
    "2 has been running for N s.",
    expect.stringMatching(/^(?:a\n)?b\n2 exited after N s with exit code 0\.$/),
    "[No new output.]\n2 exited after N s with exit code 0.\n[sandbox: none]\n[End of output.]",
    "a\n2 exited after N s with exit code 0.\n[sandbox: none]\n[More output follows: continue with cursor 2.]",
    ["what a process changes after the call that started it", "what a process does with its input"],
    "`ready` and `wait_ms` cannot be combined",
  ]);

  async function refusal<Input>(tool: Tool<Input>, input: Input): Promise<string> {
    return say(tool, input).catch((error: Error) => error.message);
  }
});

it("shows matching lines", async () => {
  await using opened = toolsFixture();
  const { say } = opened;
  await say(processStart, { command: "printf 'one\\r\\ntwo\\nthree'", name: "p", wait_ms: 30_000 });
  const outcomes = await Promise.all(
    ["^t|e$", "x", "("].map((line) =>
      say(processOutput, { name: "p", cursor: 0, line }).catch(({ code }: { code: string }) => code),
    ),
  );
  const end = "p exited after N s with exit code 0.\n[sandbox: none]\n[End of output.]";
  expect(outcomes).toEqual([`one\ntwo\nthree\n${end}`, `[No output.]\n${end}`, "invalid-input"]);
});

function firstLine(text: string): string {
  return text.split("\n")[0]!;
}
