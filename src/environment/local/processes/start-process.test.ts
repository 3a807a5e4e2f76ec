import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { Environment, RunningProcess } from "../../../contract/environment.ts";
import { processInfo } from "../../../system/process-identity.ts";
import { openLocalWorld } from "../../conformance/local-world.ts";
import { failure, failureOf, missingFailure, outsideFailure } from "../../conformance/world.ts";

const unlimited = new AbortController().signal;

function shell(
  environment: Environment,
  script: string,
  signal: AbortSignal = unlimited,
): Promise<RunningProcess> {
  return environment.start("/bin/bash", { args: ["--noprofile", "--norc", "-c", script], signal });
}

async function textOf(output: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of output) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

async function everythingOf(program: RunningProcess): Promise<object> {
  const [stdout, stderr, exit] = await Promise.all([
    textOf(program.stdout),
    textOf(program.stderr),
    program.exit,
  ]);
  return { stdout, stderr, code: exit.code, signal: exit.signal };
}

/** The first line a program prints, as a number; the rest is left. */
async function firstNumber(program: RunningProcess): Promise<number> {
  for await (const piece of program.stdout) return Number.parseInt(Buffer.from(piece).toString(), 10);
  throw new Error("It printed nothing");
}

function isRunning(processNumber: number): boolean {
  try {
    process.kill(processNumber, 0);
    // Init may be slow to reap it.
    return process.platform !== "linux" || processInfo(processNumber)?.isOver === false;
  } catch {
    return false;
  }
}

async function end(processNumber: number): Promise<void> {
  while (isRunning(processNumber)) await setTimeout(20);
}

it("returns both outputs and how the program ended", async () => {
  await using world = openLocalWorld();
  const program = await shell(world.environment, "echo out; echo err >&2; exit 3");
  expect(await everythingOf(program)).toEqual({
    stdout: "out\n",
    stderr: "err\n",
    code: 3,
    signal: undefined,
  });
});

it("starts without a shell and without input", async () => {
  await using world = openLocalWorld();
  const args = ["-c", 'cat; printf "%s|" "$@"', "name", "a b", "$HOME", "*", ";ls", ""];
  const program = await world.environment.start("/bin/bash", { args, signal: unlimited });
  expect(await everythingOf(program)).toMatchObject({ stdout: "a b|$HOME|*|;ls||", code: 0 });
});

it("passes input to a program, whether it reads it or not", async () => {
  await using world = openLocalWorld();
  const input = Buffer.alloc(1_000_000, "ü\n");
  const start = (script: string) =>
    // Bash reads the user's `.bashrc` when its input is a socket.
    world.environment.start("/bin/bash", { args: ["--norc", "-c", script], signal: unlimited, input });
  const ended = { stderr: "", code: 0, signal: undefined };
  expect(await everythingOf(await start("cat"))).toEqual({ stdout: input.toString(), ...ended });
  expect(await everythingOf(await start("exec < /dev/null; echo done"))).toEqual({
    stdout: "done\n",
    ...ended,
  });
});

it("starts in the workspace or a directory inside it, also through a link", async () => {
  await using world = openLocalWorld({ files: { "folder/file": "" } });
  world.link("way", "folder");
  const { environment } = world;
  const pwd = async (cwd?: string) => {
    const options = { args: ["-c", "pwd -P; echo $PWD"], signal: unlimited, ...(cwd && { cwd }) };
    return textOf((await environment.start("/bin/bash", options)).stdout);
  };
  const twice = (path: string) => `${path}\n${path}\n`;
  expect([await pwd(), await pwd("folder"), await pwd("way")]).toEqual([
    twice(environment.workspace),
    twice(`${environment.workspace}/folder`),
    twice(`${environment.workspace}/folder`),
  ]);
});

it("omits the workspace from PATH for programs outside the sandbox", { tags: "slow" }, async () => {
  await using world = openLocalWorld({ files: { "bin/docker": "#!/bin/sh" } });
  const programFile = fileURLToPath(
    new URL("../../../../test/support/environment/search-path-outside.ts", import.meta.url),
  );
  const seen = execFileSync(process.execPath, [programFile, world.path(".")], {
    env: { ...process.env, PATH: `${world.path("bin")}:/usr/bin:/bin` },
  });
  expect(seen.toString()).toBe("/usr/bin:/bin");
});

it("refuses to start in a directory outside the workspace", async () => {
  await using world = openLocalWorld({ files: { file: "" } });
  world.link("out", world.outside);
  mkdirSync(world.path("folder"));
  const start = (cwd: string) =>
    failureOf(world.environment.start("/bin/true", { args: [], cwd, signal: unlimited }));
  expect(await start("..")).toEqual(outsideFailure(world, ".."));
  expect(await start("out")).toEqual(outsideFailure(world, "out"));
  expect(await start("missing")).toEqual(missingFailure("missing"));
  expect(await start("file")).toEqual(
    failure("unsupported", "file is not a directory", "Give the directory that contains it."),
  );
});

it("reports a program that cannot be started", async () => {
  await using world = openLocalWorld({ files: { plain: "no program" } });
  const start = (program: string, args: string[] = []) =>
    failureOf(world.environment.start(program, { args, signal: unlimited }));
  const unavailable = (program: string) =>
    failure(
      "unavailable",
      `The program ${program} is not available here`,
      "Install it or put it on the PATH.",
    );
  expect(await start("no-such-program-anywhere")).toEqual(unavailable("no-such-program-anywhere"));
  expect(await start("/no/such/program")).toEqual(unavailable("/no/such/program"));
  expect(await start(world.path("plain"))).toEqual(
    failure(
      "denied",
      `No permission for ${world.path("plain")}`,
      "Check the permissions of the file and its directory.",
    ),
  );
  expect(await start("/bin/echo", ["a\0b"])).toEqual(
    failure(
      "invalid-input",
      "An argument for /bin/echo contains a NUL byte",
      "Give it without the NUL byte.",
    ),
  );
  expect(await start("/bin/echo", ["x".repeat(10_000_000)])).toEqual(
    failure(
      "too-large",
      "The arguments for /bin/echo are longer than the system allows",
      "Pass fewer or shorter arguments.",
    ),
  );
});

it("starts nothing for a call that is cancelled", async () => {
  await using world = openLocalWorld();
  const started = world.environment.start("/bin/true", { args: [], signal: AbortSignal.abort() });
  expect(await failureOf(started)).toEqual(failure("cancelled", "The call was cancelled", undefined));
});

it("ends a program and its descendants when the call is cancelled", async () => {
  await using world = openLocalWorld();
  const controller = new AbortController();
  const program = await shell(world.environment, "sleep 600 & echo $!; wait", controller.signal);
  const grandchild = await firstNumber(program);
  controller.abort();
  expect(await program.exit).toEqual({ code: undefined, signal: "SIGTERM", remarks: [] });
  await end(grandchild);
});

it("kills a program that ignores termination after its grace", () => killDeaf({ graceMs: 100 }));

it("kills a program that ignores termination after 2 s by default", { tags: "slow" }, () => killDeaf({}));

async function killDeaf(options: { readonly graceMs?: number }): Promise<void> {
  await using world = openLocalWorld({}, options);
  const controller = new AbortController();
  const script =
    "trap '' TERM; bash -c 'trap \"\" TERM; while :; do sleep 0.1; done' & echo $!; while :; do sleep 0.1; done";
  const program = await shell(world.environment, script, controller.signal);
  const grandchild = await firstNumber(program);
  controller.abort();
  expect(await program.exit).toEqual({ code: undefined, signal: "SIGKILL", remarks: [] });
  await end(grandchild);
}

it("stops a program at once, and allows a second stop", async () => {
  await using world = openLocalWorld();
  const program = await shell(world.environment, "trap '' TERM; sleep 600 & echo $!; wait");
  const grandchild = await firstNumber(program);
  program.stop();
  program.stop();
  expect(await program.exit).toEqual({ code: undefined, signal: "SIGKILL", remarks: [] });
  await end(grandchild);
  program.stop();
});

it("ends running programs when the environment is closed", async () => {
  const world = openLocalWorld();
  const running = await shell(world.environment, "echo $$; sleep 600");
  const number = await firstNumber(running);
  await world[Symbol.asyncDispose]();
  expect(isRunning(number)).toBe(false);
  expect(await running.exit).toEqual({ code: undefined, signal: "SIGKILL", remarks: [] });
});

it("ends running programs when Toolcrib's own process exits", { tags: "slow" }, async () => {
  await using world = openLocalWorld();
  const programFile = fileURLToPath(
    new URL("../../../../test/support/environment/leaver.ts", import.meta.url),
  );
  const child = spawn(process.execPath, [programFile, world.path(".")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output] = (await once(child.stdout, "data")) as [Buffer];
  await end(Number(output.toString()));
});

it("does not wait for a grandchild that holds the pipe, but ends and reports it", async () => {
  await using world = openLocalWorld();
  // The process is still bash for a moment before it becomes sleep.
  const program = await shell(
    world.environment,
    "sleep 600 & while ps -o comm= -p $! | grep -q bash; do :; done; echo $!",
  );
  const [stdout, { code, remarks }] = [await textOf(program.stdout), await program.exit];
  const number = Number(stdout);
  expect([code, remarks, isRunning(number)]).toEqual([
    0,
    [
      `Processes that the command left running were ended: sleep (${number}). For long-running commands use process.start.`,
    ],
    false,
  ]);
});

it("runs fifty programs at once, each with its own output and exit", { tags: "slow" }, async () => {
  await using world = openLocalWorld();
  const numbers = Array.from({ length: 50 }, (_, index) => index);
  const programs = await Promise.all(
    numbers.map((number) => shell(world.environment, `echo ${number}; echo ${number} >&2; exit ${number}`)),
  );
  expect(await Promise.all(programs.map(everythingOf))).toEqual(
    numbers.map((number) => ({
      stdout: `${number}\n`,
      stderr: `${number}\n`,
      code: number,
      signal: undefined,
    })),
  );
});

it("writes more input to a running program, until the input is closed", async () => {
  await using world = openLocalWorld();
  const program = await world.environment.start("/bin/cat", { args: [], input: "open", signal: unlimited });
  const output = textOf(program.stdout);
  const text = "x".repeat(300_000);
  for (const part of ["one ", text, " two"]) await program.write(Buffer.from(part));
  program.endInput();
  expect([await output, await program.exit]).toEqual([
    `one ${text} two`,
    { code: 0, signal: undefined, remarks: [] },
  ]);
});

it("fails a write when the program stopped reading, or never had input", async () => {
  await using world = openLocalWorld();
  const { environment } = world;
  const unread = failure(
    "unavailable",
    "The program reads no input: it has ended, has closed its input, or was started without one",
    "Start it again with an open input.",
  );
  const start = (script: string, input?: "open") =>
    environment.start("/bin/bash", {
      args: ["--norc", "-c", script],
      signal: unlimited,
      ...(input && { input }),
    });
  const closing = await start("exec 0<&-; echo closed; sleep 600", "open");
  await firstNumber(closing);
  expect(await failureOf(closing.write(Buffer.alloc(1_000_000)))).toEqual(unread);
  closing.stop();
  const ending = await start("sleep 0.2", "open");
  expect(await failureOf(ending.write(Buffer.alloc(1_000_000)))).toEqual(unread);
  const given = await start("sleep 0.2");
  expect(await failureOf(given.write(Buffer.from("x")))).toEqual(unread);
  given.endInput();
});

it("loses nothing when the reader is slower than the program", async () => {
  await using world = openLocalWorld();
  const program = await shell(world.environment, "seq 1 400000");
  const pieces: Uint8Array[] = [];
  for await (const piece of program.stdout) {
    pieces.push(piece);
    if (pieces.length % 10 === 0) await setTimeout(5);
  }
  const numbers = Buffer.concat(pieces).toString().trimEnd().split("\n");
  expect(numbers).toHaveLength(400_000);
  expect([numbers[0], numbers[199_999], numbers.at(-1)]).toEqual(["1", "200000", "400000"]);
});

it("does not hang on output that is never read, and keeps its start", async () => {
  await using world = openLocalWorld();
  const program = await shell(
    world.environment,
    "printf begin >&2; head -c 5000000 /dev/zero >&2; echo done",
  );
  expect(await textOf(program.stdout)).toBe("done\n");
  expect(await program.exit).toEqual({ code: 0, signal: undefined, remarks: [] });
  const late = await textOf(program.stderr);
  expect(late.slice(0, 5)).toBe("begin");
  expect(late.length).toBeLessThan(1_200_000);
});

it("lets a reader leave early while the program continues", async () => {
  await using world = openLocalWorld();
  const program = await shell(world.environment, "head -c 5000000 /dev/zero; exit 7");
  for await (const _ of program.stdout) break;
  expect(await program.exit).toEqual({ code: 7, signal: undefined, remarks: [] });
});

it("stops an endless program once its reader has enough", async () => {
  await using world = openLocalWorld();
  const program = await shell(world.environment, "yes");
  for await (const piece of program.stdout) {
    expect(Buffer.from(piece).toString().slice(0, 4)).toBe("y\ny\n");
    break;
  }
  program.stop();
  expect(await program.exit).toEqual({ code: undefined, signal: "SIGKILL", remarks: [] });
});

it("streams 400 MB in little memory", { tags: "slow" }, async () => {
  await using world = openLocalWorld();
  const programFile = fileURLToPath(
    new URL("../../../../test/support/environment/much-output.ts", import.meta.url),
  );
  const child = spawn(process.execPath, [programFile, world.path(".")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output] = (await once(child.stdout, "data")) as [Buffer];
  const { grownMegabytes, ...result } = JSON.parse(output.toString()) as { grownMegabytes: number };
  expect(result).toEqual({ bytes: 400_000_000, code: 0 });
  // Memory growth depends on the garbage collector; keeping the output would cost all 400 MB.
  expect(grownMegabytes).toBeLessThan(200);
});
