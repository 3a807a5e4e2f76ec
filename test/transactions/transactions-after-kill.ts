import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { manageTarget } from "../../src/environment/remote/connect-target.ts";
import { parseTarget } from "../../src/environment/remote/target.ts";
import { verifyJournal } from "../../src/journal/verify-journal.ts";
import { workspaceFiles } from "../../src/system/directories.ts";
import { openToolcrib, type Toolcrib } from "../../src/toolcrib/index.ts";
import { builtProgram } from "../support/built-program.ts";
import { bundledProgram } from "../support/bundled-program.ts";
import { snapshot } from "../support/environment/change-world.ts";
import type { RealTarget } from "../support/remote/real-targets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { openKilledWorld } from "../undo/undo-after-kill.ts";

/** Registers the tests of transactions on a target whose client or server is killed. */
export function testTransactionsAfterKill(target: () => RealTarget): void {
  it("are rolled back by the next start, whenever their client is killed", { timeout: 600_000 }, async () => {
    // The worker sends the programs of the build.
    expect(builtProgram).not.toBe("");
    const program = await bundledProgram(new URL("../support/transactions/worker.ts", import.meta.url));
    for (let time = 0; time < 4; time += 1) await killClient(program, target(), Math.random() * 1500);
  });

  it("are rolled back after the server and the command of a killed client have ended", async () => {
    const program = await bundledProgram(new URL("../support/remote/endless-command.ts", import.meta.url));
    const { name, env, folder, here } = target();
    await using temporary = temporaryFolder();
    const workspace = mkdtempSync(join(here, "killed-"));
    const there = `${name}:${workspace.replace(here, folder)}`;
    const client = spawn(process.execPath, [program, temporary.path, there], { env, stdio: "inherit" });
    const exit = once(client, "exit");
    await expect
      .poll(() => client.exitCode ?? existsSync(join(workspace, "log")), { timeout: 60_000 })
      .toBe(true);
    client.kill("SIGKILL");
    await exit;
    const crib = await openAgain(there, { env, home: temporary.path });
    expect(crib.recovered).toMatchObject([{ outcome: "taken back", leftAlone: [] }]);
    expect(snapshot(workspace)).toEqual({});
    const { sessions } = await manageTarget(parseTarget(name), { kind: "list" }, { env });
    const running = sessions.filter((session) => there.endsWith(session.workspace));
    expect(running.map(({ isAttached }) => isAttached)).toEqual([true]);
    expect(snapshot(workspace)).toEqual({});
    await crib.close();
  });

  it.each([0, 0.02, 0.1])(
    "are rolled back by the next start when the server is killed after %d s",
    async (seconds) => {
      const world = await openKilledWorld(target());
      try {
        const before = await world.look();
        await world.use(async ({ call, killServer }) => {
          await call("transaction.begin", {});
          await call("file.write", { path: "new/file", content: "new" });
          await killServer(seconds);
          // One of them fails, or the killer comes too late.
          const work = async () => {
            await call("edit.replace", { path: "a", find: "one", replace: "1" });
            await call("file.move", { from: "d/b", to: "moved/b" });
            await call("transaction.check", { command: "echo more >> log; rm -f a" });
          };
          await work().catch(() => {});
        });
        await world.use(async ({ crib }) => {
          const unlike = crib.recovered.filter(
            ({ transaction, outcome, leftAlone }) =>
              transaction && (outcome !== "taken back" || leftAlone.length > 0),
          );
          expect(unlike).toEqual([]);
        });
        expect(await world.look()).toEqual(before);
      } finally {
        await world.close();
      }
    },
  );
}

async function killClient(
  program: string,
  { name, env, folder, here }: RealTarget,
  afterMs: number,
): Promise<void> {
  await using temporary = temporaryFolder();
  const home = temporary.path;
  const workspace = mkdtempSync(join(here, "killed-"));
  mkdirSync(join(workspace, "src"));
  for (const [file, content] of Object.entries({ a: "one\n", b: "two\n", c: "three\n" }))
    writeFileSync(join(workspace, "src", `${file}.txt`), content);
  const before = snapshot(workspace);
  const there = `${name}:${workspace.replace(here, folder)}`;
  const worker = spawn(process.execPath, [program, home, "own", there], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(worker, "exit");
  await Promise.race([once(worker.stdout, "data"), exit]);
  await pause(afterMs);
  worker.kill("SIGKILL");
  expect((await exit)[1]).toBe("SIGKILL");
  const crib = await openAgain(there, { env, home });
  const recovered = crib.recovered.filter(({ transaction }) => transaction !== undefined);
  expect(
    recovered.filter(({ outcome, leftAlone }) => outcome !== "taken back" || leftAlone.length > 0),
  ).toEqual([]);
  expect(snapshot(workspace)).toEqual(before);
  const { session } = crib;
  await crib.close();
  const { journal } = workspaceFiles(join(home, "state"), there);
  expect(await verifyJournal(journal)).toMatchObject({ head: expect.any(String) });
  expect(session).toMatch(/^session_/);
}

function openAgain(
  target: string,
  { env, home }: { readonly env: NodeJS.ProcessEnv; readonly home: string },
): Promise<Toolcrib> {
  return reachedWith(env, () =>
    openToolcrib({
      ...{ target, sandbox: "none", mode: "yolo" },
      ...{ stateDirectory: join(home, "state"), configDirectory: join(home, "config") },
    }),
  );
}

/** Opens a connection with these variables, which a program of this process inherits. */
async function reachedWith<Result>(env: NodeJS.ProcessEnv, open: () => Promise<Result>): Promise<Result> {
  const own = { ...process.env };
  Object.assign(process.env, env);
  try {
    return await open();
  } finally {
    for (const name of Object.keys(env)) if (!(name in own)) delete process.env[name];
    Object.assign(process.env, own);
  }
}
