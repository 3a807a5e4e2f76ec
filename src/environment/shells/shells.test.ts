// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the commands are shell
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isInstalled } from "../../../test/support/shells/is-installed.ts";
import type { Confinement } from "../../contract/confinement.ts";
import type { Environment } from "../../contract/environment.ts";
import type { RunningCommand, ShellCommand } from "../../contract/process.ts";
import { openLocalEnvironment } from "../local/local-environment.ts";
import { openShells, type ShellTable } from "./open-shells.ts";

let workspace = "";
let state = "";
let environment: Environment;
let shells: ShellTable;

interface Finished {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | undefined;
  readonly signal: string | undefined;
  readonly cwd: string | undefined;
  readonly remarks: readonly string[];
}

async function textOf(output: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of output) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

async function result(running: RunningCommand): Promise<Finished> {
  const [stdout, stderr, exit] = await Promise.all([
    textOf(running.stdout),
    textOf(running.stderr),
    running.exit,
  ]);
  return { stdout, stderr, ...exit };
}

function begin(command: string, options: Partial<ShellCommand> = {}, name = "main"): Promise<RunningCommand> {
  const signal = new AbortController().signal;
  return shells.forCall({ environment }).run(name, { command, signal, ...options });
}

async function run(command: string, options: Partial<ShellCommand> = {}, name = "main"): Promise<Finished> {
  return result(await begin(command, options, name));
}

/** Runs a command with this confinement. */
async function runAs(confinement: Confinement, command: string): Promise<Finished> {
  const confined = new Proxy(environment, {
    get(target, name) {
      if (name === "confinement") return confinement;
      if (name === "start") return startConfined;
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const startConfined: Environment["start"] = (program, options) =>
    environment.start(program, {
      ...options,
      confinement:
        options.confinement === "ours"
          ? "ours"
          : { limits: confinement.limits ?? {}, ...options.confinement },
    });
  const { signal } = new AbortController();
  return result(await shells.forCall({ environment: confined }).run("main", { command, signal }));
}

const quiet = { stdout: "", stderr: "", code: 0, signal: undefined, remarks: [] };
const saying = (stdout: string) => ({ ...quiet, stdout, cwd: workspace });
const ended =
  "The command ended the shell of this session. The next command starts a new one: the directory, variables and functions are gone.";
const lost =
  "The shell of this session did not return from the command and was ended. The next command starts a new one: the directory, variables and functions are gone.";

describe("persistent shells in windows and a sandbox", () => testShells("auto", "auto"));

describe("persistent shells without both", { tags: "slow" }, () => testShells("never", "none"));

function testShells(tmux: "auto" | "never", want: "auto" | "none"): void {
  // One environment for all tests: it detects its sandbox only once.
  beforeAll(() => {
    workspace = realpathSync(mkdtempSync(join(tmpdir(), "shells ")));
    state = mkdtempSync(join(tmpdir(), "state "));
    environment = openLocalEnvironment({ workspace, sandbox: { want, directory: join(state, "sandbox") } });
  });

  afterAll(async () => {
    await environment.close();
    for (const folder of [workspace, state]) rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(() => {
    shells = openShells({ tmux });
  });

  afterEach(async () => {
    await shells.close();
    for (const name of readdirSync(workspace)) rmSync(join(workspace, name), { recursive: true });
  });

  it("keep directory, variables, functions, aliases, options and traps", { tags: "slow" }, async () => {
    mkdirSync(join(workspace, "sub"));
    expect(
      await run("cd sub; x='a b'; export y=2; f() { echo f$1; }; alias l='echo L'; set -o nounset"),
    ).toEqual({
      ...quiet,
      cwd: join(workspace, "sub"),
    });
    expect(await run("pwd; echo $x; printenv y; f 3; l; set -o | grep nounset")).toEqual({
      ...saying(`${workspace}/sub\na b\n2\nf3\nL\nnounset        \ton\n`),
      cwd: join(workspace, "sub"),
    });
    expect(await run("trap 'echo trapped' USR1")).toEqual({ ...quiet, cwd: join(workspace, "sub") });
    expect(await run("kill -USR1 $$")).toEqual({ ...saying("trapped\n"), cwd: join(workspace, "sub") });
  });

  it("keep the exit code of the last command", async () => {
    expect(await run("(exit 7)")).toEqual({ ...quiet, code: 7, cwd: workspace });
    expect(await run("echo $?")).toEqual(saying("7\n"));
  });

  it("keep background jobs, and report dropped output", async () => {
    expect(
      await run(
        "(while ! test -e go; do sleep 0.01; done; echo late; echo done >done; sleep 60) & echo begun",
      ),
    ).toEqual({ ...saying("begun\n"), stderr: expect.stringMatching(/^\[1\] \d+\n$/) });
    expect(await run("touch go; until test -e done; do sleep 0.01; done; jobs -rp | wc -l")).toEqual(
      saying("1\n"),
    );
    expect(await run("kill %1; wait; :")).toEqual({
      ...quiet,
      cwd: workspace,
      remarks: [
        "Jobs of earlier commands in this session have written 5 bytes since, which were dropped. Redirect their output to a file, or use process.start.",
      ],
    });
  });

  it("report dropped output of a job that has ended", { tags: "slow" }, async () => {
    await run("(while ! test -e go; do sleep 0.01; done; echo late; echo worse >&2) & echo $! >job");
    await run("touch go; while kill -0 $(cat job); do sleep 0.01; done 2>/dev/null; sleep 0.2");
    expect(await run("echo now")).toEqual({
      ...saying("now\n"),
      remarks: [
        "Jobs of earlier commands in this session have written 11 bytes since, which were dropped. Redirect their output to a file, or use process.start.",
      ],
    });
  });

  it("return exit code, separate outputs, and text without a newline", async () => {
    expect(await run("echo out; echo err >&2; printf end; exit_code() { return 9; }; exit_code")).toEqual({
      ...saying("out\nend"),
      stderr: "err\n",
      code: 9,
    });
  });

  it("give commands no input", async () => {
    expect(await run("read x; echo $?; cat; wc -c")).toEqual(saying("1\n0\n"));
  });

  it("pass on arbitrary bytes", async () => {
    const running = await begin("printf '\\000\\377\\033]52;c;x\\007\\r\\n'");
    const pieces: Uint8Array[] = [];
    for await (const piece of running.stdout) pieces.push(piece);
    expect([...Buffer.concat(pieces)]).toEqual([0, 255, ...Buffer.from("\x1b]52;c;x\x07\r\n")]);
    await running.exit;
  });

  it.each([
    ["a quote", "echo 'not closed", 2],
    ["a substitution", "echo $(not closed", 1],
    ["a group", "{ echo a", 2],
    ["a keyword", "if then", 2],
    ["a closing brace", "} ; echo no", 2],
    ["a here-document", "cat >/dev/null <<END\nnot closed", 0],
    ["a line continuation", "true \\", 0],
    ["a comment", "true # not closed", 0],
    ["loop keywords", "break; continue", 0],
  ])("survive a command that leaves %s open", async (_name, command, code) => {
    const result = await run(command);
    expect({ ...result, stderr: "" }).toEqual({ ...quiet, code, cwd: workspace });
    expect(await run("echo next")).toEqual(saying("next\n"));
  });

  it("survive commands that redefine built-ins or redirect outputs", async () => {
    await run("alias printf=false eval=false builtin=false; exec >/dev/null 2>&1; echo unseen");
    expect(await run("'echo' next")).toEqual(saying("next\n"));
    await run("unalias -a; trap 'echo -n d' DEBUG");
    expect(await run("echo next; trap - DEBUG")).toEqual(saying("ddnext\nd"));
    await run("set -x");
    expect((await run("set +x; echo next")).stdout).toEqual("next\n");
    expect(await run("echo next")).toEqual(saying("next\n"));
  });

  it("report that exit, exec and set -e end the shell, and start another", { tags: "slow" }, async () => {
    expect(await run("x=1; exit 3")).toEqual({
      ...quiet,
      stderr: "exit\n",
      code: 3,
      cwd: undefined,
      remarks: [ended],
    });
    expect(await run("echo [$x]")).toEqual(saying("[]\n"));
    expect(await run("exec printf replaced")).toEqual({
      ...quiet,
      stdout: "replaced",
      cwd: undefined,
      remarks: [ended],
    });
    expect(await run("set -e")).toEqual({ ...quiet, cwd: workspace });
    expect(await run("false; echo no")).toEqual({ ...quiet, code: 1, cwd: undefined, remarks: [ended] });
    expect(await run("echo again")).toEqual(saying("again\n"));
  });

  it("report a shell that was killed", async () => {
    await run("x=1");
    process.kill(shells.list()[0]!.pid, "SIGKILL");
    await expect.poll(() => shells.list()[0]?.state).toEqual("ended");
    expect(await run("echo [$x]")).toEqual({
      ...saying("[]\n"),
      remarks: [
        "The shell of this session had ended. This is a new one: the directory, variables and functions are gone.",
      ],
    });
  });

  const deaf = "sh -c 'trap \"\" INT TERM; echo begun >&2; while :; do sleep 0.1; done'";
  const sleeps = "sh -c 'echo begun >&2; exec sleep 60'";

  it.each([
    ["a program", sleeps],
    ["a program that cleans up", "sh -c 'trap \"exit 0\" INT; echo begun >&2; sleep 60 & wait'"],
    ["a pipeline", "sleep 60 | sh -c 'sleep 0.2; echo begun >&2; exec cat'"],
    ["a substitution", `y=$(${sleeps}; echo no)`],
    ["a substitution in a command", `echo no $(${sleeps})`],
    ["a subshell", `(${sleeps}; echo no)`],
    ["a condition", `if ${sleeps}; then echo no; else echo no; fi`],
    ["an alternative", `${sleeps} || echo no`],
    ["a function", `f() { ${sleeps}; echo no; }; f`],
    ["a loop", `while :; do ${sleeps}; done`],
    ["a busy loop of the shell", "echo begun >&2; while :; do :; done"],
    ["a wait", `${sleeps} & wait`],
  ])("cancel %s, run nothing after it, and keep shell and jobs", (_name, command) => testCancelled(command));

  it("cancel a program that ignores signals, run nothing after it, and keep shell and jobs", async () => {
    shells = openShells({ tmux, graceMs: 100 });
    await testCancelled(deaf);
  });

  it("cancel a program that ignores signals after 2 s", { tags: "slow" }, () => testCancelled(deaf));

  async function testCancelled(command: string): Promise<void> {
    await run("x=kept; sleep 61 & job=$!");
    const cancel = new AbortController();
    const running = await begin(`${command}; echo no; touch no`, { signal: cancel.signal });
    const stdout = textOf(running.stdout);
    let stderr = "";
    for await (const piece of running.stderr) {
      stderr += Buffer.from(piece).toString();
      if (stderr.includes("begun\n")) cancel.abort();
    }
    expect(await stdout).toEqual("");
    expect(await running.exit).toEqual({
      code: expect.any(Number),
      signal: undefined,
      cwd: workspace,
      remarks: [],
    });
    expect((await run("echo $x; kill -0 $job && kill $job; ls")).stdout).toEqual("kept\n");
  }

  it.each([
    ["a program that ignores signals", deaf],
    ["a program", sleeps],
    ["a function", `f() { ${sleeps}; echo no; }; f`],
    ["an alternative", `${sleeps} || echo no`],
  ])(
    "run nothing after %s is cancelled, even if another process sends SIGCONT to the shell",
    async (_name, command) => {
      if (command === deaf) shells = openShells({ tmux, graceMs: 100 });
      const cancel = new AbortController();
      const running = await begin(`x=kept; ${command}; echo no`, { signal: cancel.signal });
      const { pid } = shells.list()[0]!;
      const lettingGo = setInterval(() => process.kill(pid, "SIGCONT"), 1);
      const stdout = textOf(running.stdout);
      for await (const _ of running.stderr) cancel.abort();
      clearInterval(lettingGo);
      expect(await stdout).toEqual("");
      // On a very busy machine the shell may be lost, but not silently.
      const { remarks } = await running.exit;
      expect([[], [lost]]).toContainEqual(remarks);
      expect((await run("echo [$x]")).stdout).toEqual(remarks.length === 0 ? "[kept]\n" : "[]\n");
    },
  );

  it("kill a shell that does not return from a cancelled command", async () => {
    const cancel = new AbortController();
    const running = await begin("y=$(trap 'exit 1' INT; echo begun >&2; while :; do :; done); echo no", {
      signal: cancel.signal,
    });
    for await (const _ of running.stderr) cancel.abort();
    expect(await textOf(running.stdout)).toEqual("");
    expect(await running.exit).toEqual({
      code: undefined,
      signal: "SIGKILL",
      cwd: undefined,
      remarks: [lost],
    });
    expect(await run("echo again")).toEqual(saying("again\n"));
  });

  it("run one command at a time per session, and sessions in parallel", async () => {
    const inOne = await Promise.all([1, 2, 3].map((number) => run(`echo ${number} >>order; cat order`)));
    expect(inOne.map(({ stdout }) => stdout)).toEqual(["1\n", "1\n2\n", "1\n2\n3\n"]);
    const meet = (own: string, other: string) =>
      run(`touch ${own}; until test -e ${other}; do sleep 0.01; done; echo met`, {}, own);
    expect(await Promise.all([meet("a", "b"), meet("b", "a")])).toEqual([saying("met\n"), saying("met\n")]);
  });

  it("skip a waiting command that was cancelled", async () => {
    const cancel = new AbortController();
    const first = await begin("until test -e go; do sleep 0.01; done", {});
    const second = begin("echo never", { signal: cancel.signal });
    const third = begin("echo third");
    cancel.abort();
    await expect(second).rejects.toThrow("The call was cancelled");
    await run("touch go", {}, "other");
    expect(await result(first)).toEqual({ ...quiet, cwd: workspace });
    expect(await result(await third)).toEqual(saying("third\n"));
  });

  it("run a command in a given directory, with extra variables", async () => {
    mkdirSync(join(workspace, "it's"));
    const there = join(workspace, "it's");
    expect(await run("pwd; printenv A; A=3", { cwd: "it's", env: { A: "x 'y'\n$z" } })).toEqual({
      ...saying(`${there}\nx 'y'\n$z\n`),
      cwd: there,
    });
    expect(await run("pwd; echo [$A]")).toEqual({ ...saying(`${there}\n[]\n`), cwd: there });
    await expect(run("pwd", { cwd: ".." })).rejects.toThrow("outside the workspace");
    expect((await run("pwd", { cwd: "." })).stdout).toEqual(`${workspace}\n`);
  });

  it("accept long commands and return long outputs", async () => {
    const text = "0123456789".repeat(100_000);
    expect((await run(`x='${text}'; echo \${#x}`)).stdout).toEqual("1000000\n");
    const running = await begin("head -c 8000000 /dev/zero; echo end >&2");
    let bytes = 0;
    for await (const piece of running.stdout) bytes += piece.length;
    expect(bytes).toEqual(8_000_000);
    expect(await textOf(running.stderr)).toEqual("end\n");
    expect((await running.exit).code).toEqual(0);
  });

  it("pause a command whose output is not read", async () => {
    const running = await begin("head -c 4000000 /dev/zero; echo $? >written");
    const output = running.stdout[Symbol.asyncIterator]();
    await output.next();
    await setTimeout(100);
    expect(readdirSync(workspace)).toEqual([]);
    let more = true;
    while (more) more = (await output.next()).done !== true;
    await running.exit;
    expect(readFileSync(join(workspace, "written"), "utf8")).toEqual("0\n");
  });

  it("report state and history, and end on request", async () => {
    await run("cd /; x=1");
    await run("x=1");
    await run("cd /; x=1");
    expect(shells.history("main")).toEqual({ commands: ["cd /; x=1", "x=1"], isWhole: true, cwd: "/" });
    expect(shells.list()).toEqual([
      {
        name: "main",
        kind: "shell",
        command: "bash",
        pid: expect.any(Number),
        state: "ready",
        exitCode: null,
        signal: null,
        startedAt: expect.any(Number),
        durationMs: expect.any(Number),
        sandbox: (await environment.sandbox!()).level,
        ports: [],
        cursor: 0,
        quietMs: expect.any(Number),
        waitsForInput: false,
        output: null,
        remarks:
          tmux === "auto" && isInstalled("tmux")
            ? [expect.stringMatching(/^The user can watch and type with: tmux -S \S+ attach -t main$/)]
            : [],
      },
    ]);
    const running = await begin("sleep 60");
    expect(shells.list()[0]).toMatchObject({ command: "sleep 60", state: "running" });
    await shells.stop("main");
    expect((await running.exit).remarks).toEqual(["Session main was stopped."]);
    expect(shells.list()).toEqual([]);
    expect(shells.history("main")).toEqual(undefined);
    await expect(shells.stop("main")).rejects.toThrow("No session is named main");
  });

  it("read only their own pipes, even if a command replaces them", async () => {
    writeFileSync(join(workspace, "secret"), "secret");
    const own = `"$(dirname "$(readlink /proc/$$/fd/1)")"`;
    await run(
      `cd ${own}; for pipe in *; do rm $pipe; ln -s '${workspace}/secret' $pipe; done; cd - >/dev/null`,
    );
    expect(await run("echo safe")).toEqual(saying("safe\n"));
    await run(
      `cd ${own}; for pipe in *; do rm -f $pipe; cp '${workspace}/secret' $pipe; done; cd - >/dev/null`,
    );
    expect(await run("echo safe")).toEqual(saying("safe\n"));
    await run(`rm ${own}/*`);
    expect(await run("echo safe")).toEqual(saying("safe\n"));
  });

  it("confirm a queued command again before it runs", async () => {
    const first = await begin("until test -e go; do sleep 0.01; done");
    let isJudged = true;
    const confirm = async () => {
      if (!isJudged) throw new Error("no longer");
    };
    const second = shells.forCall({ environment, confirm }).run("main", {
      command: "touch ran",
      signal: new AbortController().signal,
    });
    second.catch(() => {});
    isJudged = false;
    await run("touch go", {}, "other");
    await first.exit;
    await expect(second).rejects.toThrow("no longer");
    expect(await run("ls")).toEqual(saying("go\n"));
  });

  it("keep the permissions of their first command, and restart for a command with fewer", async () => {
    mkdirSync(join(workspace, "sub"));
    await runAs({ writable: ["/srv/a"] }, "cd sub; x=1");
    expect(await runAs({ writable: ["/srv/a", "/srv/b"] }, "echo $x")).toEqual({
      ...saying("1\n"),
      cwd: join(workspace, "sub"),
      remarks: ["Session main was started without permission to write /srv/b. Use another session, or none."],
    });
    expect(await runAs({}, "echo [$x]; pwd")).toEqual({
      ...saying(`[]\n${workspace}/sub\n`),
      cwd: join(workspace, "sub"),
      remarks: [
        "The shell of this session was restarted, because it could access more than this command may: variables and functions are gone.",
      ],
    });
  });

  it("end a command that prints too much, and keep the shell", async () => {
    const limits = { outputBytes: 1024 ** 2 };
    await runAs({ limits }, "x=kept");
    const { cwd, remarks } = await runAs({ limits }, "yes; touch no");
    expect([cwd, remarks.map((remark) => remark.replace(/: [\d.]+ MB used/, ": … MB used"))]).toEqual([
      workspace,
      [
        "The command was ended at its output limit: … MB used, 1 MB allowed. The rule `limit output 2MB` allows more.",
      ],
    ]);
    expect(await runAs({ limits }, "echo $x; ls")).toEqual(saying("kept\n"));
  });

  it("are ended at the other limits, with their processes", { tags: "slow" }, async () => {
    const limits = { memoryBytes: 50 * 1024 ** 2 };
    const fill = "x=$(head -c 80000000 /dev/zero | tr '\\0' a); sleep 60";
    const { signal, remarks } = await runAs({ limits }, fill);
    expect([signal, remarks.map((remark) => remark.replace(/: [\d.]+ MB used/, ": … MB used"))]).toEqual([
      "SIGKILL",
      [
        ended,
        "The command was ended at its memory limit: … MB used, 50 MB allowed. The rule `limit memory 100MB` allows more.",
      ],
    ]);
    expect(await runAs({ limits }, "echo again")).toEqual(saying("again\n"));
  });

  it("refuse ambiguous names and texts", async () => {
    await expect(run("true", {}, "a:b")).rejects.toThrow('"a:b" cannot be the name of a session');
    await expect(run("true\0")).rejects.toThrow("The command contains a NUL byte");
    await expect(run("true", { env: { "A;B": "1" } })).rejects.toThrow("A;B cannot be set as a variable");
  });
}
