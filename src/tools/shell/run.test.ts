import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { withEnoughTime } from "../../../test/support/enough-time.ts";
import { isInstalled } from "../../../test/support/shells/is-installed.ts";
import { type TemporaryToolcrib, temporaryToolcrib } from "../../../test/support/temporary-toolcrib.ts";
import { workspaceFiles } from "../../system/directories.ts";
import type { CallEvent, CallResult } from "../../toolcrib/index.ts";
import type { ShellRunData } from "./run.ts";

it("returns the output of a command and how it ended", { tags: "slow" }, async () => {
  await using fixture = await shellFixture();
  const { content, data, isError } = await fixture.run("echo out; sleep 0.2; echo err >&2; exit 3");
  expect(isError).toBe(true);
  expect(content).toBe(`Exit code 3.\nout\n[stderr]\nerr${fixture.confined}`);
  expect(data).toEqual({
    exitCode: 3,
    signal: null,
    durationMs: expect.any(Number),
    timedOut: false,
    stdout: "out\n",
    stderr: "err\n",
    together: "out\nerr\n",
    cut: null,
    output: null,
    sandbox: fixture.sandbox,
    remarks: [],
  });
});

it("omits a successful exit, and reports missing output", { tags: "slow" }, async () => {
  await using fixture = await shellFixture();
  expect((await fixture.run("true")).content).toBe(`[no output]${fixture.confined}`);
  expect((await fixture.run("echo fine")).content).toBe(`fine${fixture.confined}`);
});

it("runs in the workspace or below, with extra variables and no input", { tags: "slow" }, async () => {
  await using fixture = await shellFixture();
  await fixture.run("mkdir sub");
  const { data } = await fixture.run("pwd; echo $GIVEN; cat; read x; echo $?", {
    cwd: "sub",
    env: { GIVEN: "it's $HOME" },
  });
  expect(data?.stdout).toBe(`${fixture.at("sub")}\nit's $HOME\n1\n`);
});

it("runs no startup files", async () => {
  await using fixture = await shellFixture();
  const { data } = await fixture.run(
    "shopt -q login_shell || echo no login; case $- in *i*) echo asks;; esac",
  );
  expect(data?.stdout).toBe("no login\n");
});

it("joins a character that was written in two halves", { tags: "slow" }, async () => {
  await using fixture = await shellFixture();
  const { data } = await fixture.run("printf '\\303'; sleep 0.3; printf '\\244\\n'");
  expect(data?.stdout).toBe("ä\n");
});

it("shows both ends of a long output, and stores all of it", { tags: "slow" }, async () => {
  await using fixture = await shellFixture();
  const { content, data, output, truncated } = await fixture.run("seq 1 200000");
  const lines = Array.from({ length: 200_000 }, (_, index) => `${index + 1}\n`);
  const cut = Buffer.byteLength(lines.slice(128, -128).join(""));
  const surroundings = fixture.confined === "" ? 0 : 1;
  const tail = lines
    .slice(-128 + surroundings)
    .join("")
    .trimEnd();
  const more = surroundings === 0 ? 0 : Buffer.byteLength(lines.at(-128)!);
  expect(content).toBe(
    `${lines.slice(0, 128).join("")}[… ${cut + more} bytes cut …]\n${tail}${fixture.confined}\n` +
      `[The whole output is stored as ${output}; pass it as a path to file.read or search.grep.]`,
  );
  expect({ truncated, output }).toEqual({ truncated: true, output: data?.output });
  expect(fixture.kept(output!)).toBe(lines.join(""));
  const grep = await fixture.crib.call("search.grep", { pattern: "^123456$", path: output! });
  expect(grep.content).toContain("123456");
});

it("stores nothing when the output is shown whole", async () => {
  await using fixture = await shellFixture();
  const { output, data } = await fixture.run("seq 1 200");
  expect([output, data?.output, data?.cut]).toEqual([null, null, null]);
});

it("stores a short output with many lines", async () => {
  await using fixture = await shellFixture();
  const { output } = await fixture.run("seq 1 300");
  expect(fixture.kept(output!)).toBe(Array.from({ length: 300 }, (_, index) => `${index + 1}\n`).join(""));
});

it("removes secrets from answer, events and stored output, also where output is cut", {
  tags: "slow",
}, async () => {
  await using fixture = await shellFixture();
  const key = `sk-ant-api03-${"abcdefghij0123456789".repeat(2)}`;
  fixture.write("say.sh", `for i in $(seq 1 3000); do echo "$i ${key}"; done`);
  const { content, data, output } = await fixture.run("bash say.sh");
  const streamed = fixture.events
    .flatMap((event) => (event.type === "tool-output" ? [event.text] : []))
    .join("");
  for (const text of [content, JSON.stringify(data), streamed, fixture.kept(output!)]) {
    expect(text).toContain("[redacted: Anthropic key]");
    expect(text).not.toContain("abcdefghij");
  }
});

it("streams everything in order while it runs", async () => {
  await using fixture = await shellFixture();
  await fixture.run("seq 1 50000; echo end >&2");
  const streamed = fixture.events.flatMap((event) => (event.type === "tool-output" ? [event] : []));
  const textOf = (stream: string) =>
    streamed.flatMap((event) => (event.stream === stream ? event.text : [])).join("");
  expect(textOf("stdout")).toBe(Array.from({ length: 50_000 }, (_, index) => `${index + 1}\n`).join(""));
  expect(textOf("stderr")).toBe("end\n");
});

it("shows the last state of progress bars, and no control sequences", async () => {
  await using fixture = await shellFixture();
  const { data } = await fixture.run(
    "printf '10%%\\r50%%\\r100%%\\n\\033[31mred\\033[0m \\033]52;c;eA==\\007ok\\n'",
  );
  expect(data?.stdout).toBe("100%\nred ok\n");
});

/** Whether the command had enough time to print something. */
function hasBegun({ error }: Pick<CallResult, "error">): boolean {
  return error?.output?.includes("begun") ?? false;
}

it("ends a command at its timeout, and returns its output so far", { tags: "slow" }, async () => {
  await using fixture = await shellFixture();
  const [result, limitMs] = await withEnoughTime(
    200,
    (timeout_ms) => fixture.run("echo begun; sleep 61 & sleep 62", { timeout_ms }),
    hasBegun,
  );
  expect(result.error).toEqual({
    code: "timeout",
    message: `The command did not finish within ${limitMs / 1_000} s and was stopped`,
    hint: "Give a larger `timeout_ms` (at most 600000), or run it with `background`.",
    output: expect.stringMatching(/^begun(?:\n\[.*\])*$/),
  });
  expect(result.content).toBe(`${result.error?.message}\n${result.error?.hint}\n${result.error?.output}`);
});

it("ends only a command that prints nothing for too long", { tags: "slow" }, async () => {
  await using fixture = await shellFixture();
  const talks = await fixture.run("for i in 1 2 3; do echo $i; sleep 0.02; done", {
    quiet_timeout_ms: 20_000,
  });
  const [{ error }, limitMs] = await withEnoughTime(
    200,
    (quiet_timeout_ms) => fixture.run("echo begun; sleep 60", { quiet_timeout_ms }),
    hasBegun,
  );
  expect([talks.error, error]).toEqual([
    null,
    {
      code: "timeout",
      message: `The command printed nothing for ${limitMs / 1_000} s and was stopped`,
      hint: "Make it print its progress, or run it with `background`.",
      output: expect.stringMatching(/^begun(?:\n\[.*\])*$/),
    },
  ]);
});

it("returns the start, the end and the handle of a long output after a timeout", async () => {
  await using fixture = await shellFixture();
  const [result] = await withEnoughTime(
    200,
    (timeout_ms) => fixture.run("seq 1 5000; sleep 60", { timeout_ms }),
    ({ content }) => content.includes("5000"),
  );
  expect(result.error?.code).toBe("timeout");
  expect(result.truncated).toBe(true);
  expect(result.content).toContain("\n128\n[… ");
  expect(result.content).toContain(`stored as ${result.output}`);
  expect(fixture.kept(result.output!)).toContain("\n2500\n");
});

it("stores output before a timeout also when undo does not cover everything", { tags: "slow" }, async () => {
  await using fixture = await shellFixture();
  await fixture.run("mkdir node_modules; touch node_modules/a; echo node_modules > .gitignore");
  const [{ error }] = await withEnoughTime(
    200,
    (timeout_ms) => fixture.run("echo begun; touch node_modules/b; sleep 60", { timeout_ms }),
    hasBegun,
  );
  expect(error).toMatchObject({
    code: "timeout",
    hint: expect.stringMatching(/^Give a larger `timeout_ms`.* Undo does not cover: /),
    output: expect.stringContaining("begun"),
  });
});

it("returns the output until the call was cancelled", async () => {
  await using fixture = await shellFixture();
  const controller = new AbortController();
  const running = fixture.run("echo begun; sleep 60", {}, controller.signal);
  while (!fixture.events.some(({ type }) => type === "tool-output")) await setTimeout(10);
  controller.abort();
  expect((await running).error).toEqual({
    code: "cancelled",
    message: "The call was cancelled",
    hint: null,
    output: `begun${fixture.confined}`,
  });
});

it("returns the output until the whole call timed out", async () => {
  await using fixture = await shellFixture();
  const [{ error }, limitMs] = await withEnoughTime(
    200,
    (timeoutMs) => fixture.crib.call("shell.run", { command: "echo begun; sleep 60" }, { timeoutMs }),
    hasBegun,
  );
  expect(error).toEqual({
    code: "timeout",
    message: `The call did not finish within ${limitMs / 1_000} s and was ended`,
    hint: "Allow the call more time, or run the command with process.start.",
    output: `begun${fixture.confined}`,
  });
});

it("explains how to send input to a command that asked for it", async () => {
  await using fixture = await shellFixture();
  const { content } = await fixture.run("printf 'Continue? [y/N] '; exit 1");
  expect(content).toBe(
    "Exit code 1.\nContinue? [y/N] \n[The command seems to ask for input, which it cannot get. " +
      "Give the answer in advance (a flag such as --yes, or a heredoc). To answer while it runs, use process.start with `terminal` and process.input.]" +
      fixture.confined,
  );
});

it("reports while it runs that a command seems to wait for input", { tags: "slow" }, async () => {
  await using fixture = await shellFixture();
  const { error } = await fixture.run("printf 'Password: '; sleep 60", { timeout_ms: 6000 });
  expect(fixture.events.flatMap((event) => (event.type === "tool-progress" ? [event.message] : []))).toEqual([
    "The command seems to wait for input.",
  ]);
  expect(error?.output).toContain("[The command seems to ask for input, which it cannot get. ");
});

it("does not mistake a quiet command of a session for one that waits for input", {
  tags: "slow",
}, async () => {
  await using fixture = await shellFixture();
  const { data } = await fixture.run("echo 'Compiling: '; sleep 4.5", { session: "build" });
  expect([
    data?.stdout,
    data?.remarks,
    fixture.events.filter(({ type }) => type === "tool-progress"),
  ]).toEqual(["Compiling: \n", [], []]);
});

it("runs a command that is longer than a single argument may be", async () => {
  await using fixture = await shellFixture();
  const text = "x".repeat(150_000);
  const { data } = await fixture.run(
    `cat > long.txt <<'EOF'\n${text}\nEOF\nread x || echo "nothing to read"; wc -c < long.txt; exit 3`,
  );
  expect([data?.exitCode, data?.stdout, data?.stderr]).toEqual([3, "nothing to read\n150001\n", ""]);
});

it("waits for a session no longer than the command's timeout, and reports what keeps it busy", {
  tags: "slow",
}, async () => {
  await using fixture = await shellFixture();
  const session = "build";
  await fixture.run("true", { session });
  const cancelling = new AbortController();
  const long = fixture.crib.call(
    "shell.run",
    { command: "echo begun; sleep 60", session },
    { signal: cancelling.signal },
  );
  const { error } = await fixture.run("echo next", { session, timeout_ms: 300 });
  cancelling.abort();
  await long;
  expect(error).toEqual({
    code: "timeout",
    message: 'Session build is still busy with "echo begun; sleep 60": the command was not run',
    hint: "Wait and retry, use another session, or stop the command with process.stop and the session's name.",
  });
  expect(fixture.events.flatMap((event) => (event.type === "tool-progress" ? [event.message] : []))).toEqual([
    'Session build is still busy with "echo begun; sleep 60": waiting.',
  ]);
  expect((await fixture.run("echo next", { session })).data?.stdout).toBe("next\n");
});

it.skipIf(!isInstalled("tmux"))(
  "waits equally long for a command that a user runs in the window (needs tmux)",
  { tags: "slow" },
  async () => {
    await using fixture = await shellFixture();
    const session = "build";
    const { data } = await fixture.run("true", { session });
    const [program, ...start] = data!.attach!.split(" attach ")[0]!.split(" ");
    execFileSync(program!, [...start, "send-keys", "-t", session, "sleep 60", "Enter"]);
    const runs = async () => (await fixture.crib.call("process.list", {})).content;
    await expect.poll(runs).toContain("sleep 60");
    const { error } = await fixture.run("echo next", { session, timeout_ms: 300 });
    expect([error?.code, error?.message]).toEqual([
      "timeout",
      'Session build is still busy with "sleep 60": the command was not run',
    ]);
  },
);

it("keeps a session between commands, and reports its directory", { tags: "slow" }, async () => {
  await using fixture = await shellFixture();
  await fixture.run("mkdir sub");
  const session = "build";
  const begun = await fixture.run("cd sub; x=5; twice() { echo $((x * 2)); }", { session });
  const next = await fixture.run("twice; pwd", { session });
  expect(begun.content).toContain(`[The session is in ${fixture.at("sub")}`);
  expect(next.content).toBe(
    `10\n${fixture.at("sub")}\n[The session is in ${fixture.at("sub")}]${fixture.confined}`,
  );
  expect(next.data).toMatchObject({
    exitCode: 0,
    stdout: `10\n${fixture.at("sub")}\n`,
    cwd: fixture.at("sub"),
  });
});

it("moves a command to the background", { tags: "slow" }, async () => {
  await using fixture = await shellFixture();
  const { data } = await fixture.run("sleep 60", { background: true });
  expect(data).toMatchObject({ exitCode: null, process: { state: "running", command: "sleep 60" } });
  const namesake = await fixture.run("true", { session: "sleep-60" });
  expect(namesake.content).toBe(
    '"sleep-60" is a running process, not a session\nChoose another name for the session.',
  );
});

it("does not wait for background processes of a command", async () => {
  await using fixture = await shellFixture();
  const { data } = await fixture.run("sleep 60 & echo started");
  expect(data).toMatchObject({ exitCode: 0, stdout: "started\n" });
});

it("runs many commands at once, each with its own output", { tags: "slow" }, async () => {
  await using fixture = await shellFixture();
  const length = 20;
  const results = await Promise.all(
    Array.from({ length }, (_, index) =>
      fixture.run(`echo ${index}; seq 1 ${index} | tail -1 >&2; exit ${index}`),
    ),
  );
  expect(results.map(({ data }) => [data?.exitCode, data?.stdout, data?.stderr])).toEqual(
    Array.from({ length }, (_, index) => [index, `${index}\n`, index === 0 ? "" : `${index}\n`]),
  );
});

it("refuses input that it cannot use", async () => {
  await using fixture = await shellFixture();
  for (const [more, code] of [
    [{ env: { BASH_ENV: "x" } }, "invalid-input"],
    [{ command: "echo a\0b" }, "invalid-input"],
    [{ cwd: "nowhere" }, "not-found"],
    [{ cwd: ".." }, "outside-workspace"],
    [{ timeout_ms: 0 }, "invalid-input"],
    [{ background: true, session: "a" }, "invalid-input"],
  ] as const)
    expect((await fixture.run("true", more)).error?.code, JSON.stringify(more)).toBe(code);
});

it("runs in the sandbox without approval in the default mode, and outside of it only with one", async () => {
  await using fixture = await temporaryToolcrib();
  const codeOf = async (command: string) =>
    (await fixture.crib.call("shell.run", { command })).error?.code ?? "ran";
  const inSandbox = (await fixture.crib.sandbox()).level === "bwrap" ? "ran" : "needs-approval";
  expect([await codeOf("touch made"), await codeOf("touch /srv/made")]).toEqual([
    inSandbox,
    "needs-approval",
  ]);
});

type ShellResult = Omit<CallResult, "data"> & { readonly data: ShellRunData | null };

interface ShellFixture extends TemporaryToolcrib {
  readonly events: readonly CallEvent[];
  readonly sandbox: string;
  /** The last line of an answer. */
  readonly confined: string;
  run(command: string, more?: object, signal?: AbortSignal): Promise<ShellResult>;
  kept(handle: string): string;
}

async function shellFixture(): Promise<ShellFixture> {
  const fixture = await temporaryToolcrib({ mode: "yolo" });
  const { crib } = fixture;
  const { level } = await crib.sandbox();
  const events: CallEvent[] = [];
  crib.events.on((event) => void events.push(event));
  return {
    ...fixture,
    events,
    sandbox: level,
    confined: level === "bwrap" ? "" : `\n[sandbox: ${level}]`,
    run: async (command, more = {}, signal) =>
      (await crib.call("shell.run", { command, ...more }, signal ? { signal } : {})) as ShellResult,
    kept: (handle) =>
      readFileSync(join(workspaceFiles(fixture.at("../state"), crib.workspace).outputs, handle), "utf8"),
  };
}
