import { expect, it } from "vitest";
import { manageTarget } from "../../src/environment/remote/connect-target.ts";
import { parseTarget } from "../../src/environment/remote/target.ts";
import { bundledProgram } from "../support/bundled-program.ts";
import { killAfterOutput, killedWorkspace } from "../support/killed-workspace.ts";
import type { RealTarget } from "../support/remote/real-targets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { openKilledWorld } from "../undo/undo-after-kill.ts";

/** Registers the test of transactions on a target whose client is killed. */
export function testTransactionsOfKilledClient(target: () => RealTarget): void {
  it("are rolled back after the server and the command of a killed client have ended", {
    tags: "slow",
  }, async () => {
    const program = await bundledProgram(new URL("../support/remote/endless-command.ts", import.meta.url));
    await using temporary = temporaryFolder();
    const world = killedWorkspace(temporary.path, { a: "one\n" }, target());
    const before = world.now();
    // It prints a line when its command has begun.
    await killAfterOutput(world.start(program, ""), 0);
    const crib = await world.open();
    expect(crib.recovered).toMatchObject([{ outcome: "taken back", leftAlone: [] }]);
    expect(world.now()).toEqual(before);
    const { name, env } = target();
    const { sessions } = await manageTarget(parseTarget(name), { kind: "list" }, { env });
    const running = sessions.filter(({ workspace }) => crib.workspace === workspace);
    expect(running.map(({ isAttached }) => isAttached)).toEqual([true]);
    expect(world.now()).toEqual(before);
    await crib.close();
  });
}

/** Registers the tests of transactions on a target whose server is killed after these seconds. */
export function testTransactionsOfKilledServer(target: () => RealTarget, times: readonly number[]): void {
  it.each(times)(
    "are rolled back by the next start when the server is killed after %d s",
    { tags: "slow" },
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
