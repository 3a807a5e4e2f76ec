import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundledProgram } from "../../../test/support/bundled-program.ts";
import type { Interference } from "../../../test/support/environment/interference.ts";
import { roundsFactor } from "../../../test/support/rounds.ts";
import { wholeOf } from "../../../test/support/undo/undo-fixture.ts";
import type { EntryState } from "../../contract/history.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { openToolcrib } from "../../toolcrib/index.ts";

type Whole = Readonly<Record<string, EntryState>>;

const undoer = await bundledProgram(new URL("../../../test/support/undo/undoer.ts", import.meta.url));
const patch =
  "*** Begin Patch\n*** Update File: a\n-one\n+1\n*** Delete File: d/b\n*** Add File: new/deep/c\n+new\n*** End Patch";

/** The number of steps between two kills. */
const stride = Math.max(1, Math.round(27 / roundsFactor));

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib undo crash "));
});
afterAll(() => rmSync(home, { recursive: true }));

it("leaves every file whole when an undo is killed, and the next undo completes it", async () => {
  const world = await makeWorld("one undo", ["edit.patch", { patch }]);
  const { wasKilled } = await killUndo(world, { killAt: 27 });
  expect(wasKilled).toBe(true);
});

it("leaves every file whole when an undo is killed at any step", { tags: "slow" }, async () => {
  const world = await makeWorld("undo", ["edit.patch", { patch }]);
  const { steps } = await world.run(undo, {});
  const outcomes: string[] = [];
  for (let killAt = 1; killAt <= steps; killAt += stride) {
    world.reset();
    outcomes.push((await killUndo(world, { killAt })).outcome);
  }
  expect(outcomes.join(" ")).toMatch(/^(?:not undone )+(?:undone ?)*$/);
});

const undo = ["journal.undo", {}] as const;

/** Kills an undo at a step. Fails unless every file is whole, and the next undo completes it. */
async function killUndo(world: Awaited<ReturnType<typeof makeWorld>>, interference: Interference) {
  const { steps } = await world.run(undo, interference);
  const found = await world.look();
  expect([filesOf(world.before), filesOf(world.after)]).toContain(filesOf(found));
  await world.call(undo);
  expect(await world.look()).toEqual(world.before);
  const isUndone = filesOf(found) === filesOf(world.before);
  return { wasKilled: steps === 0, outcome: isUndone ? "undone" : "not undone" };
}

it("undoes a killed call, however far it got", { tags: "slow" }, async () => {
  const world = await makeWorld("call", ["journal.checkpoint", {}]);
  const call = ["edit.patch", { patch }] as const;
  const { steps } = await world.run(call, {});
  expect(steps).toBeGreaterThan(0);
  for (let killAt = 1; killAt <= steps; killAt += stride) {
    world.reset();
    await world.run(call, { killAt });
    await world.call(["journal.undo", { last: 1 }]);
    expect(await world.look()).toEqual(world.before);
  }
});

/** A workspace in which one call was made, and a function that restores that moment. */
async function makeWorld(name: string, [tool, input]: readonly [string, object]) {
  const [workspace, state, copy] = [
    join(home, name),
    join(home, `${name} state`),
    join(home, `${name} copy`),
  ];
  mkdirSync(workspace);
  const look = async (): Promise<Whole> => {
    // Recovers from a crash, as every next start does.
    const crib = await openToolcrib({ workspace, stateDirectory: state, configDirectory: `${state} config` });
    await crib.close();
    return wholeOf(elsewhere);
  };
  const elsewhere = openLocalEnvironment({ workspace });
  for (const [path, content] of Object.entries({ a: "one\n", "d/b": "two\n" }))
    await elsewhere.writeFile(path, Buffer.from(content));
  const before = await wholeOf(elsewhere);
  const options = {
    workspace,
    stateDirectory: state,
    configDirectory: `${state} config`,
    mode: "yolo",
  } as const;
  const crib = await openToolcrib(options);
  const { isError, content } = await crib.call(tool, input);
  expect([isError, content]).toEqual([false, content]);
  await crib.close();
  const after = await wholeOf(elsewhere);
  cpSync(workspace, join(copy, "workspace"), { recursive: true, preserveTimestamps: true });
  cpSync(state, join(copy, "state"), { recursive: true });
  return {
    before,
    after,
    look,
    /** The workspace stays the same folder, so that its journal is found. */
    reset: () => {
      for (const [from, to] of [
        [join(copy, "workspace"), workspace],
        [join(copy, "state"), state],
      ] as const) {
        rmSync(to, { recursive: true });
        cpSync(from, `${to} new`, { recursive: true, preserveTimestamps: true });
        renameSync(`${to} new`, to);
      }
    },
    /** Makes a call in this process, after it has recovered from the crash. */
    call: async ([tool, input]: readonly [string, object]): Promise<void> => {
      await using crib = await openToolcrib({ ...options, undoScope: "workspace" });
      await crib.call(tool, input);
    },
    /** Makes a call in a separate process, which may be killed. */
    run: async (call: readonly [string, object], interference: Interference): Promise<{ steps: number }> => {
      const args = [undoer, workspace, state, JSON.stringify(call), JSON.stringify(interference)];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
      return output === "" ? { steps: 0 } : JSON.parse(output);
    },
  };
}

/** Created folders appear and disappear independently. */
function filesOf(whole: Whole): string {
  return JSON.stringify(Object.entries(whole).filter(([, { kind }]) => kind !== "directory"));
}
