import { expect, it } from "vitest";
import { channelPair } from "../../../test/support/environment/channel-pair.ts";
import type { Environment, RunningProcess } from "../../contract/environment.ts";
import { walkFiles, walkWhole } from "../../files/walk.ts";
import { overrideEnvironment } from "../../lib/override-environment.ts";
import { openLocalWorld } from "../conformance/local-world.ts";
import { overChannel } from "../conformance/remote-world.ts";
import { failureOf } from "../conformance/world.ts";
import { openRemoteEnvironment } from "./remote-environment.ts";
import { serveEnvironment } from "./serve-environment.ts";

const { signal } = new AbortController();

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

async function runScript(environment: Environment, script: string, options = {}): Promise<RunningProcess> {
  return environment.start("sh", { args: ["-c", script], signal, ...options });
}

it("runs programs and returns their output, errors and exit", async () => {
  await using world = openLocalWorld();
  const remote = await overChannel(world.environment);
  const program = await runScript(remote, "cat; echo err >&2; exit 3", { input: Buffer.from("in") });
  const [stdout, stderr, exit] = await Promise.all([
    textOf(program.stdout),
    textOf(program.stderr),
    program.exit,
  ]);
  expect([stdout, stderr, exit.code, exit.signal]).toEqual(["in", "err\n", 3, undefined]);
  expect(await failureOf(remote.start("no-such-program", { args: [], signal }))).toMatchObject({
    code: "unavailable",
  });
  await remote.close();
});

it("writes input while a program runs, and ends it", async () => {
  await using world = openLocalWorld();
  const remote = await overChannel(world.environment);
  const program = await runScript(remote, "while read x; do echo got $x; done", { input: "open" });
  const output = program.stdout[Symbol.asyncIterator]();
  await program.write(Buffer.from("one\n"));
  expect(Buffer.from((await output.next()).value!).toString()).toBe("got one\n");
  while ((await program.waitsForInput()) === false);
  program.endInput();
  expect((await program.exit).code).toBe(0);
  expect(await failureOf(program.write(Buffer.from("x")))).toMatchObject({ code: "unavailable" });
  await remote.close();
});

it("makes a program wait whose output nobody reads, and loses none of it", { tags: "slow" }, async () => {
  await using world = openLocalWorld();
  let taken = 0;
  const counting = overrideEnvironment(world.environment, {
    start: async (...given) => {
      const running = await world.environment.start(...given);
      const stdout = (async function* () {
        for await (const piece of running.stdout) {
          taken += piece.length;
          yield piece;
        }
      })();
      return { ...running, stdout };
    },
  });
  const remote = await overChannel(counting);
  const bytes = 8_000_000;
  const program = await runScript(remote, `head -c ${bytes} /dev/zero`);
  await expect.poll(() => taken).toBeGreaterThan(400_000);
  const before = taken;
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  expect(taken - before).toBeLessThan(200_000);
  expect(taken).toBeLessThan(1_500_000);
  expect((await textOf(program.stdout)).length).toBe(bytes);
  await remote.close();
});

it("ends a process when its signal is aborted, and when the connection ends", async () => {
  await using world = openLocalWorld();
  const remote = await overChannel(world.environment);
  const controller = new AbortController();
  const first = await runScript(remote, "sleep 600", { signal: controller.signal });
  controller.abort();
  expect((await first.exit).signal).toBe("SIGKILL");
  const second = await runScript(remote, "sleep 600");
  const reading = failureOf(remote.readFile("missing", { maxBytes: 1 }));
  await remote.close();
  expect(await failureOf(second.exit)).toMatchObject({ code: "unavailable" });
  await reading;
  await expect.poll(() => isRunning(second.pid)).toBe(false);
  expect(await failureOf(remote.info("."))).toMatchObject({ code: "unavailable" });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it("keeps many calls under way at once, and answers small ones before large ones", async () => {
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`f${index}`, `${index}`]));
  await using world = openLocalWorld({ files: { ...files, large: Buffer.alloc(8_000_000, "x") } });
  const remote = await overChannel(world.environment);
  const order: string[] = [];
  const read = async (path: string) => {
    const { bytes } = await remote.readFile(path, { maxBytes: 10_000_000 });
    order.push(path);
    return bytes.length;
  };
  const sizes = await Promise.all(["large", ...Object.keys(files)].map(read));
  expect([sizes[0], sizes.length, order.at(-1)]).toEqual([8_000_000, 201, "large"]);
  await remote.close();
});

it("closes directories that were not used for longest when too many are open", { tags: "slow" }, async () => {
  await using world = openLocalWorld({ files: { "folder/file": "text" } });
  const remote = await overChannel(world.environment);
  const first = await remote.openDirectory("folder");
  const second = await remote.openDirectory("folder");
  for (let index = 0; index < 499; index += 1) {
    await remote.openDirectory(".");
    if (index === 250) await second.info("file");
  }
  expect(await failureOf(first.info("file"))).toMatchObject({ code: "unavailable" });
  expect(await second.info("file")).toMatchObject({ kind: "file" });
  await remote.close();
});

it("cancels a read at once, and waits for a change that was cancelled", async () => {
  await using world = openLocalWorld({ files: { file: "old" } });
  const held = Promise.withResolvers<void>();
  const slow = overrideEnvironment(world.environment, {
    readFile: async (...given) => {
      await held.promise;
      return world.environment.readFile(...given);
    },
    writeFile: async (path, content, options) => {
      await held.promise;
      return world.environment.writeFile(path, content, { ...options, signal: undefined });
    },
  });
  const remote = await overChannel(slow);
  const controller = new AbortController();
  const reading = failureOf(remote.readFile("file", { maxBytes: 10, signal: controller.signal }));
  const writing = remote.writeFile("file", Buffer.from("new"), { signal: controller.signal });
  controller.abort();
  expect(await reading).toMatchObject({ code: "cancelled" });
  held.resolve();
  expect((await writing).created).toBe(false);
  expect(Buffer.from((await remote.readBytes("file", { offset: 0, length: 9 })).buffer)).toBeDefined();
  await remote.close();
});

it("lists all files in one round trip, as a walk does", async () => {
  const files = { "a/b/c": "", "a/.hidden": "", "x.log": "", "src/y": "", ".gitignore": "*.log\n" };
  await using world = openLocalWorld({ files });
  const calls: string[] = [];
  const [here, there] = channelPair();
  const counted = overrideEnvironment(world.environment, {});
  void serveEnvironment(counted, there, {
    walk: (environment, ...wanted) => {
      calls.push(wanted[0]);
      return walkWhole(environment, ...wanted);
    },
  }).catch(() => {});
  const remote = await openRemoteEnvironment(here);
  const walked = async (environment: Environment, start: string, hidden: boolean) => {
    const found: string[] = [];
    const options = { hidden, ignoreFiles: true, signal, enters: (path: string) => path !== "src" };
    for await (const { path, name, directory } of walkFiles(environment, start, options))
      found.push(`${path} ${Buffer.from((await directory.readFile(name, 100))!)}`);
    return found;
  };
  for (const [start, hidden] of [
    ["", false],
    ["", true],
    ["a", false],
  ] as const)
    expect(await walked(remote, start, hidden)).toEqual(await walked(world.environment, start, hidden));
  expect(calls).toEqual(["", "", "a"]);
  await remote.close();
});

it("refuses a confined command whose rules about paths the target cannot use", async () => {
  await using world = openLocalWorld();
  const remote = await overChannel(world.environment);
  const isHidden = () => true;
  const without = remote.start("true", { args: [], signal, confinement: { isHidden } });
  expect(await failureOf(without)).toMatchObject({ code: "unsupported" });
  const confinement = { isHidden, pathsKey: "key", pathRules: () => ({}) };
  expect(await failureOf(remote.start("true", { args: [], signal, confinement }))).toMatchObject({
    code: "unsupported",
  });
  await remote.close();
});
