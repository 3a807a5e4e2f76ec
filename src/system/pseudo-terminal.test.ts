import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { missingHere, openSandboxFixture } from "../../test/support/sandbox-fixture.ts";
import type {
  Environment,
  ProcessExit,
  ProcessStartOptions,
  RunningProcess,
} from "../contract/environment.ts";
import { openLocalWorld } from "../environment/conformance/local-world.ts";
import { inTerminal } from "./pseudo-terminal.ts";

function start(environment: Environment, script: string, options: Partial<ProcessStartOptions>) {
  return environment.start("/bin/bash", {
    args: ["--noprofile", "--norc", "-c", script],
    signal: new AbortController().signal,
    ...options,
  });
}

interface Watched {
  /** Until this was printed. */
  readonly until: (text: string) => Promise<void>;
  readonly end: Promise<readonly [string, ProcessExit]>;
}

function watch(program: RunningProcess): Watched {
  let output = "";
  let isOver = false;
  const reading = (async () => {
    for await (const piece of program.stdout) output += Buffer.from(piece).toString();
    isOver = true;
  })();
  return {
    until: async (text) => {
      while (!output.includes(text) && !isOver) await setTimeout(10);
    },
    end: reading.then(async () => [output, await program.exit] as const),
  };
}

const write = (program: RunningProcess, text: string) => program.write(Buffer.from(text));
const ended = (code: number) => ({ code, signal: undefined, remarks: [] });

describe.runIf(process.platform === "linux")("a pseudo-terminal", () => {
  it("is the program's terminal for input and all output, and has a size", async () => {
    await using world = openLocalWorld();
    const script =
      "test -t 0 && test -t 1 && test -t 2 && echo mine; stty size; echo $TERM; echo err >&2; : < /dev/tty && exit 3";
    const program = await start(world.environment, script, { terminal: true });
    expect(await watch(program).end).toEqual(["mine\r\n40 120\r\nxterm-256color\r\nerr\r\n", ended(3)]);
  });

  it("provides no input unless some is sent", async () => {
    await using world = openLocalWorld();
    const program = await start(world.environment, "cat; echo done", { terminal: true });
    expect(await watch(program).end).toEqual(["done\r\n", ended(0)]);
  });

  it("accepts lines, control characters and the end of input", async () => {
    await using world = openLocalWorld();
    const waiting = "trap 'heard=1' INT; echo ready; until [ $heard ]; do sleep 0.05; done; echo interrupted";
    const script = `${waiting}; read -r line; echo got $line; cat; echo ended`;
    const program = await start(world.environment, script, { terminal: true, input: "open" });
    const watched = watch(program);
    await watched.until("ready");
    await write(program, "\u0003");
    await watched.until("interrupted");
    await write(program, "one\n");
    await watched.until("got one");
    program.endInput();
    expect(await watched.end).toEqual(["ready\r\n^Cinterrupted\r\none\r\ngot one\r\nended\r\n", ended(0)]);
  });

  it("copies large amounts in both directions without blocking either", async () => {
    await using world = openLocalWorld();
    const program = await start(
      world.environment,
      "stty raw -echo; echo ready; head -c 300000; sleep 0.1; head -c 300000 | wc -c",
      { terminal: true, input: "open" },
    );
    const watched = watch(program);
    await watched.until("ready");
    await write(program, "x".repeat(600_000));
    const [output, exit] = await watched.end;
    expect([output.length, output.slice(-7), exit]).toEqual([300_000 + 13, "300000\n", ended(0)]);
  });

  it("reports the signal that ended the program", async () => {
    await using world = openLocalWorld();
    const program = await start(world.environment, "kill -SEGV $$", { terminal: true });
    expect((await watch(program).end)[1]).toEqual({ code: undefined, signal: "SIGSEGV", remarks: [] });
  });

  it("does not wait for a child that holds it longer than the program", async () => {
    await using world = openLocalWorld();
    // The process is still bash for a moment before it becomes sleep.
    const command = "trap '' HUP; sleep 600 & while ps -o comm= -p $! | grep -q bash; do :; done; echo done";
    const program = await start(world.environment, command, { terminal: true });
    const [output, { code, remarks }] = await watch(program).end;
    expect([output, code, remarks]).toEqual([
      "done\r\n",
      0,
      [expect.stringMatching(/^Processes that the command left running were ended: sleep \(\d+\)\./)],
    ]);
  });

  it("uses script without perl, and is unavailable without both", async () => {
    await using scripted = openLocalWorld({}, { programs: { perl: undefined } });
    const program = await start(scripted.environment, `test -t 1 && echo "it's \\$mine"; exit 5`, {
      terminal: true,
    });
    expect(await watch(program).end).toEqual(["it's $mine\r\n", ended(5)]);
    await using bare = openLocalWorld({}, { programs: { perl: undefined, script: undefined } });
    const without = await start(bare.environment, "test -t 1 || echo none", { terminal: true });
    expect(await watch(without).end).toEqual([
      "none\n",
      {
        ...ended(0),
        remarks: ["The command had no terminal, because neither perl nor script is installed."],
      },
    ]);
  });

  it("quotes every argument for script", async () => {
    const find = async (name: string) => {
      if (name === "perl") throw new Error("none");
      return "/usr/bin/script";
    };
    expect(await inTerminal({ file: "/bin/a b", args: ["it's", "$x", ""] }, find)).toEqual({
      file: "/usr/bin/script",
      args: ["-qec", "'/bin/a b' 'it'\\''s' '$x' ''", "/dev/null"],
    });
  });
});

describe.runIf(process.platform === "linux")("waitsForInput", () => {
  it.each([
    ["read by bash", "echo ready; read x", {}],
    ["read by cat behind bash", "echo ready; cat; true", {}],
    ["read by a program", `echo ready; node -e 'require("fs").readSync(0, Buffer.alloc(1))'`, {}],
    ["read from a terminal", "echo ready; cat", { terminal: true }],
    ["read with a prompt and line editing", "echo ready; read -e x", { terminal: true }],
    ["read by an event loop", "echo ready; node -e 'process.stdin.resume()'", { terminal: true }],
    ["read from /dev/tty instead of the input", "echo ready; read x < /dev/tty", { terminal: true }],
  ] as const)("is true when input is %s", async (_, script, options) => {
    await using world = openLocalWorld();
    const program = await start(world.environment, script.replace("node", `'${process.execPath}'`), {
      ...options,
      input: "open",
    });
    const watched = watch(program);
    await watched.until("ready");
    while ((await program.waitsForInput()) !== true) await setTimeout(20);
    program.stop();
    await watched.end;
    expect(await program.waitsForInput()).not.toBe(true);
  });

  it.each([
    ["that computes", "echo ready; while :; do :; done", "open"],
    ["that sleeps", "echo ready; sleep 600", "open"],
    ["that waits for another program", "echo ready; sleep 600 | cat", "open"],
    ["that has nothing to read", "echo ready; cat; sleep 600", undefined],
  ] as const)("is false for a program %s", async (_, script, input) => {
    await using world = openLocalWorld();
    const program = await start(world.environment, script, input === undefined ? {} : { input });
    const watched = watch(program);
    await watched.until("ready");
    await setTimeout(100);
    expect(await program.waitsForInput()).toBe(false);
    program.stop();
    await watched.end;
  });
});

const missing = await missingHere("landlock");

it.skipIf(missing !== undefined)("a program under Landlock can open no terminal but its own", async () => {
  await using world = openLocalWorld();
  await using fixture = openSandboxFixture("landlock");
  const other = await start(world.environment, "tty; read -r line", { terminal: true, input: "open" });
  const victim = watch(other);
  await victim.until("/dev/pts/");
  const script =
    'own=$(tty); for name in /dev/pts/[0-9]*; do { : < "$name"; } 2> /dev/null && test "$name" != "$own" && echo "$name"; done; : < "$own" && echo own';
  const program = await start(fixture.environment, script, { terminal: true });
  expect(await watch(program).end).toEqual(["own\r\n", ended(0)]);
  await write(other, "\n");
  await victim.end;
});
