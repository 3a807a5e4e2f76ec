// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the commands are shell
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { toolContext } from "../../../test/support/tool-context.ts";
import type { Environment, RunningProcess } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { commandAccess } from "./command-access.ts";
import { WholeLines } from "./command-output.ts";
import { describeExit, outOfTime } from "./describe-run.ts";
import { shellRun } from "./run.ts";
import { runCommand } from "./run-command.ts";

it.each([
  [{ exitCode: 0, signal: null }, undefined],
  [{ exitCode: 1, signal: null }, "Exit code 1."],
  [{ exitCode: 127, signal: null }, "Exit code 127: a command was not found."],
  [{ exitCode: 126, signal: null }, "Exit code 126: a program was found but could not be run."],
  [
    { exitCode: 137, signal: null },
    "Exit code 137: SIGKILL: out of memory, a limit, or killed by another process.",
  ],
  [{ exitCode: 129, signal: null }, "Exit code 129: SIGHUP."],
  [{ exitCode: null, signal: "SIGSEGV" }, "Ended by SIGSEGV: it crashed."],
  [{ exitCode: null, signal: "SIGUSR1" }, "Ended by SIGUSR1."],
  [{ exitCode: 255, signal: null }, "Exit code 255."],
])("describes how a command ended: %j", (exit, words) => {
  expect(describeExit(exit)).toBe(words);
});

it("shows variables to the policy as if the command had set them", () => {
  const env = { PATH: ".:/bin", NOTE: "it's\n$(rm -rf /)" };
  expect(commandAccess({ command: "ls && make", env, cwd: "src", session: "build" })).toEqual({
    kind: "execute",
    command: "export PATH='.:/bin' NOTE='it'\\''s\n$(rm -rf /)'; ls && make",
    cwd: "src",
    session: "build",
  });
});

it.each(["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "BASH_FUNC_ls%%", "A B", "", "1A", "A=B"])(
  "refuses %j as a variable name",
  (name) => {
    expect(() => commandAccess({ command: "ls", env: { [name]: "x" } })).toThrow(
      expect.objectContaining({ code: "invalid-input" }),
    );
  },
);

it("refuses a NUL byte, and suggests printf", () => {
  expect(() => commandAccess({ command: "echo a\0b" })).toThrow(
    expect.objectContaining({
      code: "invalid-input",
      hint: "Let the command print it: printf 'a\\0b'",
    }),
  );
});

it("passes on whole lines, and the rest on request", () => {
  const lines = new WholeLines();
  const push = (text: string) => lines.push(Buffer.from(text)).map((piece) => Buffer.from(piece).toString());
  expect([push("a"), push("b\nc"), push("d\n"), push("e")]).toEqual([[], ["a", "b\n"], ["c", "d\n"], []]);
  expect(Buffer.concat(lines.flush()).toString()).toBe("e");
  expect(lines.flush()).toEqual([]);
  const long = "x".repeat(20_000);
  expect(push(long)).toEqual([long]);
});

it("uses sh without bash, and reports it", async () => {
  await using folder = temporaryFolder();
  const environment = openLocalEnvironment({ workspace: folder.path, programs: { bash: undefined } });
  const { text, data } = await shellRun.run({ command: "echo ${0##*/}" }, toolContext(environment));
  expect(text).toBe("sh\n[bash is not available: sh ran the command]\n[sandbox: none]");
  expect(data.remarks).toEqual(["bash is not available: sh ran the command"]);
  await environment.close();
});

it("does not take a sandbox that could not be set up for a missing bash", async () => {
  await using folder = temporaryFolder();
  const environment = openLocalEnvironment({ workspace: folder.path });
  const failure = new ToolError("unavailable", "The command was not run");
  const start: Environment["start"] = async (program, options) => {
    if (program === "bash") throw failure;
    return environment.start(program, options);
  };
  const context = toolContext(Object.create(environment, { start: { value: start } }));
  await expect(shellRun.run({ command: "echo" }, context)).rejects.toBe(failure);
  await environment.close();
});

it("treats a command that ended before its output is read as in time", async () => {
  async function* lateOutput() {
    await setTimeout(50);
    yield Buffer.from("late\n");
  }
  const running: Partial<RunningProcess> = {
    stdout: lateOutput(),
    stderr: (async function* () {})(),
    exit: Promise.resolve({ code: 0, signal: undefined, remarks: [] }),
    sandbox: "bwrap",
    waitsForInput: async () => false,
  };
  const environment: Partial<Environment> = {
    workspace: "/",
    start: async () => running as RunningProcess,
  };
  const { text } = await shellRun.run(
    { command: "echo late", timeout_ms: 1 },
    toolContext(environment as Environment),
  );
  expect(text).toBe("late");
});

it("reports while it runs that a command seems to wait for input", async () => {
  await using folder = temporaryFolder();
  await using environment = openLocalEnvironment({ workspace: folder.path, graceMs: 100 });
  const cancelling = new AbortController();
  const messages: string[] = [];
  const context: ToolContext = {
    ...toolContext(environment, cancelling.signal),
    progress: (message) => {
      messages.push(typeof message === "string" ? message : message());
      cancelling.abort();
    },
  };
  const request = { command: "printf 'Password: '; sleep 60", timeoutMs: 60_000, inputTimeoutMs: 100 };
  await expect(runCommand({ ...request, limits: shellRun.limits }, context)).rejects.toMatchObject({
    code: "cancelled",
    output: expect.stringContaining("[The command seems to ask for input, which it cannot get. "),
  });
  expect(messages).toEqual(["The command seems to wait for input."]);
});

it("ends a program that waits for a key", async () => {
  await using folder = temporaryFolder();
  await using environment = openLocalEnvironment({ workspace: folder.path, graceMs: 100 });
  // Editors read from stderr when their input is not a terminal.
  const request = {
    command: "echo text; read -r key 0<>/dev/stderr",
    timeoutMs: 60_000,
    inputTimeoutMs: 100,
  };
  const run = await runCommand({ ...request, limits: shellRun.limits }, toolContext(environment));
  expect(run).toMatchObject({ timedOut: true, wantedInput: true, shown: { stdout: "text\n" } });
  expect(outOfTime(run, { timeoutMs: 60_000 })).toMatchObject({
    code: "timeout",
    message: "The command waited for input, which it cannot get, and was stopped",
    hint: expect.stringMatching(/^Give the answer in advance/),
  });
});

it("ends a command that prints nothing for too long, and one that ignores its end", async () => {
  await using folder = temporaryFolder();
  await using environment = openLocalEnvironment({ workspace: folder.path, graceMs: 100 });
  const request = { command: "trap '' TERM; sleep 60; sleep 60", timeoutMs: 60_000, quietTimeoutMs: 100 };
  const run = await runCommand({ ...request, limits: shellRun.limits }, toolContext(environment));
  expect(run).toMatchObject({ exitCode: null, signal: "SIGKILL", timedOut: true, wasQuiet: true });
});
