import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isAlive } from "../../test/support/is-alive.ts";
import { type CommandTarget, commandTarget } from "../../test/support/remote/command-target.ts";
import { WorkOnTarget } from "../../test/support/remote/work-on-target.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { openToolcrib } from "./index.ts";

/** The number of cuts; 1000 for the whole figure. */
const cuts = Number(process.env.TOOLCRIB_CUTS ?? 20);
const crashes = Math.ceil(cuts / 10);
const timeout = 180_000 + cuts * 10_000;
const seed = Number(process.env.TOOLCRIB_SEED ?? Date.now() % 1_000_000);
const random = randomFrom(seed);
const hasSeed = `(TOOLCRIB_SEED=${seed})`;

it(`makes every call once and keeps every process while the link is cut ${cuts} times ${hasSeed}`, {
  timeout,
}, async () => {
  await using there = commandTarget("cd ~/../workspace");
  await using here = temporaryFolder();
  WorkOnTarget.prepare(there.workspace);
  const crib = await open(there, here.path);
  const work = new WorkOnTarget(crib, there.workspace);
  await work.startProcess();
  const working = work.run();
  await Promise.race([cutRepeatedly(there, () => work.progress), working]);
  work.stop();
  await working;
  expect(work.failures).toEqual([]);
  work.checkEffects();
  work.checkOutput();
  expect(isAlive(work.pid)).toBe(true);
  await crib.close();
  await expect.poll(() => isAlive(work.pid)).toBe(false);
});

it(`leaves whole files and no process when the server is killed ${crashes} times ${hasSeed}`, {
  timeout,
}, async () => {
  await using there = commandTarget("cd ~/../workspace");
  await using here = temporaryFolder();
  for (let crash = 0; crash < crashes; crash++) {
    WorkOnTarget.prepare(there.workspace);
    const crib = await open(there, here.path);
    const work = new WorkOnTarget(crib, there.workspace);
    await work.startProcess();
    const working = work.run();
    await pause(random() * 300);
    process.kill(serverPid(there), "SIGKILL");
    await working;
    for (const failure of work.failures)
      expect(failure).toMatchObject({
        code: "unavailable",
        message: expect.stringMatching(/^The server on .* no longer runs, and its processes have ended/s),
      });
    expect(work.failures.length).toBe(4);
    work.checkOutput();
    await crib.close();
    await expect.poll(() => isAlive(work.pid)).toBe(false);
    // Opening completes interrupted changes, or takes them back.
    const again = await open(there, here.path);
    work.checkEffects();
    expect(await again.call("file.list", {})).toMatchObject({ error: null });
    await again.close();
  }
});

function open({ target }: CommandTarget, folder: string): ReturnType<typeof openToolcrib> {
  return openToolcrib({
    ...{ target: target.name, mode: "yolo" },
    ...{ stateDirectory: join(folder, "state"), configDirectory: join(folder, "config") },
  });
}

/** Kills each connection: three of four a moment after calls have succeeded on it, the others while it is made. */
async function cutRepeatedly(there: CommandTarget, progress: () => number): Promise<void> {
  let last = 0;
  let seen = progress();
  for (let cut = 0; cut < cuts; ) {
    const pid = there.attachPid();
    const isNew = pid !== undefined && pid !== last && isAlive(pid);
    const isEarly = cut % 4 === 3;
    if (isNew && (isEarly || progress() > seen)) {
      await pause(random() * (isEarly ? 300 : 100));
      process.kill(pid, "SIGKILL");
      last = pid;
      seen = progress();
      cut++;
    } else await pause(3);
  }
}

/** Returns the id of the server that runs. Killed ones leave their records. */
function serverPid({ folder }: CommandTarget): number {
  const records = readdirSync(join(folder, "sessions")).map((session) =>
    JSON.parse(readFileSync(join(folder, "sessions", session, "record.json"), "utf8")),
  );
  return records.find(({ pid }) => isAlive(pid)).pid;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Returns numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
