/** @module-tag slow */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isAlive } from "../../test/support/is-alive.ts";
import { type CommandTarget, commandTarget } from "../../test/support/remote/command-target.ts";
import { sshMissing, sshServer } from "../../test/support/remote/ssh-server.ts";
import { WorkOnTarget } from "../../test/support/remote/work-on-target.ts";
import { rounds } from "../../test/support/rounds.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { connectTarget } from "../environment/remote/connect-target.ts";
import { openRemoteEnvironment } from "../environment/remote/remote-environment.ts";
import { parseTarget } from "../environment/remote/target.ts";
import { overrideEnvironment } from "../lib/override-environment.ts";
import { openToolcrib, type Toolcrib, type ToolcribOptions } from "./index.ts";

/** The number of cuts: 1000 with ROUNDS=250. */
const cuts = rounds(4);
const sshCuts = Math.max(2, Math.ceil(cuts / 5));
const crashes = Math.ceil(cuts / 10);
const seed = Number(process.env.TOOLCRIB_SEED ?? Date.now() % 1_000_000);
const random = randomFrom(seed);
const hasSeed = `(TOOLCRIB_SEED=${seed})`;

it(`makes every call once and keeps every process while the link is cut ${cuts} times ${hasSeed}`, async () => {
  await using there = commandTarget("cd ~/../workspace");
  await using here = temporaryFolder();
  await using crib = await open({ target: there.target.name }, here.path);
  await workWhileCut(crib, there.workspace, cuts, () => there.attachPid());
});

it.skipIf(sshMissing)(
  `does the same while ssh is killed ${sshCuts} times ${hasSeed}${sshMissing ? `: ${sshMissing}` : ""}`,
  { tags: ["root"] },
  async () => {
    await using there = sshServer();
    await using here = temporaryFolder();
    const target = parseTarget(`ssh:test-host:${there.workspace}`);
    const remote = await openRemoteEnvironment(await connectTarget(target, { env: there.env }));
    const environment = overrideEnvironment(remote, { name: "test-host" });
    await using crib = await open({ environment }, here.path);
    await workWhileCut(crib, there.workspace, sshCuts, () => there.clients()[0]);
    await environment.close();
  },
);

it(`leaves whole files and no process when the server is killed ${crashes} times ${hasSeed}`, async () => {
  await using there = commandTarget("cd ~/../workspace");
  await using here = temporaryFolder();
  for (let crash = 0; crash < crashes; crash++) {
    WorkOnTarget.prepare(there.workspace);
    const crib = await open({ target: there.target.name }, here.path);
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
    const again = await open({ target: there.target.name }, here.path);
    work.checkEffects();
    expect(await again.call("file.list", {})).toMatchObject({ error: null });
    await again.close();
  }
});

function open(options: ToolcribOptions, folder: string): Promise<Toolcrib> {
  return openToolcrib({
    ...{ ...options, mode: "yolo" },
    ...{ stateDirectory: join(folder, "state"), configDirectory: join(folder, "config") },
  });
}

/** Makes calls while the processes that `pidOf` names are killed, and checks that every call had its effect once. */
async function workWhileCut(
  crib: Toolcrib,
  workspace: string,
  times: number,
  pidOf: () => number | undefined,
): Promise<void> {
  WorkOnTarget.prepare(workspace);
  const work = new WorkOnTarget(crib, workspace);
  await work.startProcess();
  const working = work.run();
  await Promise.race([cutRepeatedly(times, pidOf, () => work.progress), working]);
  work.stop();
  await working;
  expect(work.failures).toEqual([]);
  work.checkEffects();
  work.checkOutput();
  expect(isAlive(work.pid)).toBe(true);
  await crib.close();
  await expect.poll(() => isAlive(work.pid)).toBe(false);
}

/** Kills each connection: three of four a moment after calls have succeeded on it, the others while it is made. */
async function cutRepeatedly(
  times: number,
  pidOf: () => number | undefined,
  progress: () => number,
): Promise<void> {
  let last = 0;
  let seen = progress();
  for (let cut = 0; cut < times; ) {
    const pid = pidOf();
    const isNew = pid !== undefined && pid !== last && isAlive(pid);
    const isEarly = cut % 4 === 3;
    if (isNew && (isEarly || progress() > seen)) {
      await pause(random() * (isEarly ? 300 : 100));
      process.kill(pid, "SIGKILL");
      last = pid;
      seen = progress();
      cut++;
    } else await pause(5);
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
