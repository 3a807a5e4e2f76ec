/** @module-tag slow */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { bundledProgram } from "../../../test/support/bundled-program.ts";
import { snapshot } from "../../../test/support/environment/change-world.ts";
import { killedWorkspace } from "../../../test/support/killed-workspace.ts";
import { rounds } from "../../../test/support/rounds.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { testKilledTransactions } from "../../../test/transactions/killed-transactions.ts";
import { ProcessTree } from "../../system/process-tree.ts";
import { openToolcrib } from "../../toolcrib/index.ts";

const commandProgram = await bundledProgram(
  new URL("../../../test/support/transactions/command-worker.ts", import.meta.url),
);
const transactionProgram = await bundledProgram(
  new URL("../../../test/support/transactions/worker.ts", import.meta.url),
);
const folder = temporaryFolder();
afterAll(() => folder[Symbol.asyncDispose]());

describe("transactions", () =>
  testKilledTransactions({
    program: () => transactionProgram,
    open: (files) => killedWorkspace(folder.path, files),
    times: { own: rounds(2), parked: rounds(1) },
    atOnce: 2,
    withinMs: 400,
  }));

describe.each(["none", "auto"])(
  "a command that keeps running after its process was killed, sandbox %s",
  (sandbox) => {
    const goOn = "while :; do echo more >> log.txt; rm -f src/c.txt; sleep 0.01; done";

    const commands = [
      ["", goOn],
      [" even if it ignores SIGTERM", `trap "" TERM; ${goOn}`],
      [" even if its parent is gone", `(${goOn}) & while kill -0 $PPID; do sleep 0.01; done`],
      [" even if it has left its process group", `setsid bash -c '${goOn}' & wait`],
    ] as const;

    it.each(commands)(
      "is stopped before its transaction is rolled back%s",
      { tags: "slow" },
      async (_, command) => {
        const world = newWorld();
        const { child, marks } = await world.run(command);
        child.kill("SIGKILL");
        await once(child, "exit");
        const crib = await world.open();
        expect(stillRunning(marks)).toEqual([]);
        expect([crib.recovered.map(({ outcome }) => outcome), world.now()]).toEqual([
          ["taken back"],
          world.before,
        ]);
        await crib.close();
        expect(world.marks()).toEqual([]);
      },
    );

    const signals = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

    it.each(signals)("is stopped together with its process by %s", { tags: "slow" }, async (signal) => {
      const world = newWorld();
      const { child, marks } = await world.run(goOn);
      child.kill(signal);
      expect(await once(child, "exit")).toEqual([null, signal]);
      while (stillRunning(marks).length > 0) await setTimeout(10);
      await (await world.open()).close();
      expect(world.now()).toEqual(world.before);
    });

    function newWorld() {
      const home = mkdtempSync(join(folder.path, "world "));
      const workspace = join(home, "workspace");
      mkdirSync(join(workspace, "src"), { recursive: true });
      writeFileSync(join(workspace, "src/c.txt"), "three\n");
      const now = () => snapshot(workspace);
      const marks = () =>
        globSync("state/workspaces/*/started/*", { cwd: home }).map((record) => basename(record));
      return {
        now,
        marks,
        before: now(),
        open: () =>
          openToolcrib({
            workspace,
            stateDirectory: join(home, "state"),
            configDirectory: join(home, "config"),
            mode: "yolo",
          }),
        /** A process whose command has begun to work. */
        run: async (command: string) => {
          const child = spawn(process.execPath, [commandProgram, home, command], {
            env: { ...process.env, TOOLCRIB_SANDBOX: sandbox },
            stdio: ["ignore", "ignore", "inherit"],
          });
          while (!existsSync(join(workspace, "log.txt"))) await setTimeout(10);
          return { child, marks: marks() };
        },
      };
    }

    function stillRunning(marks: readonly string[]): readonly string[] {
      return new ProcessTree(marks).members().map(({ name }) => name);
    }
  },
);
