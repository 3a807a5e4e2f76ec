import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundledProgram } from "../../../../test/support/bundled-program.ts";
import {
  exampleChanges,
  makeChangeWorld,
  snapshot,
} from "../../../../test/support/environment/change-world.ts";
import type { Interference } from "../../../../test/support/environment/interference.ts";
import type { Interruptions } from "../../../../test/support/environment/interrupter.ts";
import { openLocalEnvironment } from "../local-environment.ts";

const support = new URL("../../../../test/support/environment/", import.meta.url);
const interrupter = await bundledProgram(new URL("interrupter.ts", support));
const changer = await bundledProgram(new URL("changer.ts", support));

let home: string;
let before: object;

beforeAll(() => {
  home = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib crash "));
  before = snapshot(join(newWorld(), "workspace"));
});

afterAll(() => rmSync(home, { recursive: true }));

// One process is stopped at every step in turn, each in a separate workspace: from that step on, nothing it does has
// an effect. Its records are those of a dead process as soon as it ends. A start that is killed at each step takes ten times
// as long; bench/crash-changes.ts does that.
describe("a change set", () => {
  it("is applied completely or not at all when it or the next start is killed at any step", {
    tags: "slow",
  }, async () => {
    const { folder, steps } = await stopAtEachStep("change");
    expect(steps.length).toBeGreaterThan(60);
    // The first step, half of a record, half of a file, and in the middle of the changes.
    for (const step of [1, 3, 9, 45]) await expectSameWhenKilled(folder, step);
    await runProgram(interrupter, folder, "recover", "stopAt", "{}");
    const outcomes = await settleEach(folder, steps);
    expect(outcomes.join(" ")).toMatch(/^(?:before )+(?:after )*after$/);
  });

  it.each(["new/deep/file", "a/update", "a/delete"])(
    "is applied completely or not at all when %s is its only change",
    { tags: "slow" },
    async (path) => {
      const { folder, steps } = await stopAtEachStep(path);
      const outcomes = await settleEach(folder, steps);
      expect(outcomes.join(" ")).toMatch(/^(?:before )+(?:after )*after$/);
    },
  );

  it.each([
    ["", {}],
    [", on a file system without hard links", { noHardLinks: true }],
  ])("is not applied when one of its steps fails%s", { tags: "slow" }, async (_, interference) => {
    const { folder, steps, succeeded } = await interrupt("change", "failAt", interference);
    const outcomes = await settleEach(folder, steps);
    expect(outcomes).toEqual(succeeded.map((isDone) => (isDone ? "after" : "before")));
    // Cleanup comes last, and does not affect the outcome.
    expect(outcomes.join(" ")).toMatch(/^(?:before )+(?:after )*after$/);
  });

  it("is not applied when one of its steps fails and it is killed during the rollback", {
    tags: "slow",
  }, async () => {
    const { folder, steps } = await stopAtEachStep("change", { failAt: "to" });
    const after = await stateAfterChange();
    expect(snapshot(join(folder, "whole", "workspace"))).toEqual(before);
    await runProgram(interrupter, folder, "recover", "stopAt", "{}");
    const outcomes = await settleEach(folder, steps, after);
    // Before the rollback starts, it can still be completed.
    expect(outcomes.join(" ")).toMatch(/^(?:after )*(?:before )+before$/);
  });
});

it("a move leaves none of the directories created for it when it is killed at any step", async () => {
  const { folder, steps } = await stopAtEachStep("move");
  const outcomes = await settleEach(folder, steps);
  expect(outcomes.join(" ")).toMatch(/^(?:before )+(?:after )*after$/);
});

/** A folder with one folder per interrupted step, and "whole" for the change that was not interrupted. */
interface Interrupted {
  readonly folder: string;
  readonly steps: readonly number[];
  readonly succeeded: readonly boolean[];
}

function stopAtEachStep(act: string, others: Interference = {}): Promise<Interrupted> {
  return interrupt(act, "stopAt", others);
}

async function interrupt(act: string, how: "stopAt" | "failAt", others: Interference): Promise<Interrupted> {
  const folder = mkdtempSync(join(home, "interrupted "));
  const [, output] = await runProgram(interrupter, folder, act, how, JSON.stringify(others));
  const { steps, failedAt, succeeded } = output as Interruptions;
  expect(steps).toBeGreaterThan(failedAt);
  const numbers = Array.from({ length: steps - failedAt }, (_, index) => failedAt + index + 1);
  return { folder, steps: numbers, succeeded };
}

/** The outcome of recovery at the next start, for the workspace of each step. */
async function settleEach(
  folder: string,
  steps: readonly number[],
  after: object = snapshot(join(folder, "whole", "workspace")),
): Promise<readonly ("before" | "after")[]> {
  const outcomes: ("before" | "after")[] = [];
  for (const step of steps) outcomes.push(await settle(join(folder, `${step}`), after));
  rmSync(folder, { recursive: true });
  return outcomes;
}

/** The state of a workspace after the next start; fails if it is neither, or if something is left over. */
async function settle(folder: string, after: object): Promise<"before" | "after"> {
  const records = join(folder, "records");
  const workspace = join(folder, "workspace");
  await openLocalEnvironment({ workspace, changeRecords: records }).close();
  mkdirSync(records, { recursive: true });
  expect(readdirSync(records)).toEqual([]);
  const found = snapshot(workspace);
  const isAfter = JSON.stringify(found) === JSON.stringify(after);
  expect(found).toEqual(isAfter ? after : before);
  return isAfter ? "after" : "before";
}

async function stateAfterChange(): Promise<object> {
  const workspace = join(newWorld(), "workspace");
  const environment = openLocalEnvironment({ workspace });
  await environment.change(exampleChanges());
  await environment.close();
  return snapshot(workspace);
}

/** Expects that a process that is really killed before the step leaves the same on the disk. */
async function expectSameWhenKilled(folder: string, step: number): Promise<void> {
  const world = newWorld();
  const end = await runProgram(changer, world, "change", JSON.stringify({ killAt: step }));
  expect(end).toEqual(["SIGKILL", undefined]);
  expect(leftIn(world)).toEqual(leftIn(join(folder, `${step}`)));
}

/** Workspace and records, without the random parts of names and contents. */
function leftIn(folder: string): readonly string[] {
  const found = Object.entries(snapshot(folder)).filter(([name]) => name.includes("/"));
  return found
    .map((entry) =>
      entry
        .join(" ")
        .replaceAll(folder, "")
        .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.[0-9a-f-]+)?/g, "ID"),
    )
    .toSorted();
}

function newWorld(): string {
  const folder = mkdtempSync(join(home, "world "));
  makeChangeWorld(folder);
  return folder;
}

/** The signal that ended the program, and the JSON that it printed. */
async function runProgram(program: string, ...args: readonly string[]): Promise<[string | null, unknown]> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    output += piece;
  });
  const [, signal] = await once(child, "close");
  return [signal, output === "" ? undefined : JSON.parse(output)];
}
