import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundledProgram } from "../../../../test/support/bundled-program.ts";
import { makeChangeWorld, snapshot } from "../../../../test/support/environment/change-world.ts";
import type { Interference } from "../../../../test/support/environment/interference.ts";
import { inLanes } from "../../../../test/support/in-lanes.ts";
import { openLocalEnvironment } from "../local-environment.ts";

const changer = await bundledProgram(
  new URL("../../../../test/support/environment/changer.ts", import.meta.url),
);
const failer = fileURLToPath(new URL("../../../../test/support/environment/failer.ts", import.meta.url));

let home: string;
let whole: Ends;

beforeAll(async () => {
  home = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib crash "));
  whole = await endsOf("change");
});

afterAll(() => rmSync(home, { recursive: true }));

describe("a change set", { timeout: 300_000 }, () => {
  it("is done or not done, whenever it is killed, and the next start as well", async () => {
    const outcomes = await inLanes(whole.steps, async (killAt) => {
      const folder = newWorld();
      await killed(folder, "change", { killAt });
      // The next start has much the same to do after each of these: so it is killed at another step each time.
      await killed(folder, "recover", { killAt: 1 + (killAt % 25) });
      return settled(folder);
    });
    expect(new Set(outcomes)).toEqual(new Set(["before", "after"]));
  });

  it.each(["new/deep/file", "a/update", "a/delete"])(
    "is done or not done when %s is all it changes",
    async (path) => {
      const ends = await endsOf(path);
      const outcomes = await inLanes(ends.steps, async (killAt) => {
        const folder = newWorld();
        await killed(folder, path, { killAt });
        return settled(folder, ends);
      });
      expect(outcomes.join(" ")).toMatch(/^(?:before )+(?:after )*after$/);
    },
  );

  it.each([
    ["", {}],
    [", on a file system without hard links", { noHardLinks: true }],
  ])("is not done when one of its steps fails%s", async (_, interference) => {
    const folder = mkdtempSync(join(home, "failing "));
    const told = await trial<readonly string[]>(failer, folder, JSON.stringify(interference));
    const found = await Promise.all(told.map((_, index) => settled(join(folder, `${index + 1}`))));
    expect(found).toEqual(told);
    // What comes last is tidying up, which no longer decides.
    expect(told.join(" ")).toMatch(/^(?:before )+(?:after )*after$/);
  });

  it("is not done when one of its steps fails and it is killed while it goes back", async () => {
    const failAt = "to";
    const folder = newWorld();
    const { steps, failedAt } = await trial<{ steps: number; failedAt: number }>(
      changer,
      folder,
      "change",
      JSON.stringify({ failAt }),
    );
    expect(await settled(folder)).toBe("before");
    const outcomes = await inLanes(steps - failedAt, async (step) => {
      const world = newWorld();
      await killed(world, "change", { failAt, killAt: failedAt + step });
      await killed(world, "recover", { killAt: 1 + (step % 25) });
      return settled(world);
    });
    // Before it has begun to go back, it can still be completed.
    expect(outcomes.join(" ")).toMatch(/^(?:after )*(?:before )+before$/);
  });
});

it("a move leaves none of the directories that are made for it, whenever it is killed", {
  timeout: 300_000,
}, async () => {
  const ends = await endsOf("move");
  const outcomes = await inLanes(ends.steps, async (killAt) => {
    const folder = newWorld();
    await killed(folder, "move", { killAt });
    return settled(folder, ends);
  });
  expect(outcomes.join(" ")).toMatch(/^(?:before )+(?:after )*after$/);
});

/** The workspace as it was, as a whole change set leaves it, and in how many steps. */
interface Ends {
  readonly before: object;
  readonly after: object;
  readonly steps: number;
}

async function endsOf(act: string): Promise<Ends> {
  const folder = newWorld();
  const before = snapshot(join(folder, "workspace"));
  const { steps } = await trial<{ steps: number }>(changer, folder, act, "{}");
  return { before, after: snapshot(join(folder, "workspace")), steps };
}

function newWorld(): string {
  const folder = mkdtempSync(join(home, "world "));
  makeChangeWorld(folder);
  return folder;
}

/** Runs a program and gives what it prints; undefined if it was killed. */
async function trial<Result>(program: string, ...args: readonly string[]): Promise<Result> {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    output += piece;
  });
  await once(child, "close");
  return output === "" ? (undefined as Result) : (JSON.parse(output) as Result);
}

/** Lets a process change or recover a workspace until it is killed at its step; a recovery may have fewer. */
async function killed(folder: string, act: string, interference: Interference): Promise<void> {
  const survived = await trial<unknown>(changer, folder, act, JSON.stringify(interference));
  if (act !== "recover") expect([interference, survived]).toEqual([interference, undefined]);
}

/** What a workspace is after the next start; fails when it is neither, or something is left over. */
async function settled(folder: string, { before, after }: Ends = whole): Promise<"before" | "after"> {
  const records = join(folder, "records");
  const workspace = join(folder, "workspace");
  await openLocalEnvironment({ workspace, changeRecords: records }).close();
  mkdirSync(records, { recursive: true });
  expect(readdirSync(records)).toEqual([]);
  const found = snapshot(workspace);
  const isAfter = JSON.stringify(found) === JSON.stringify(after);
  expect(found).toEqual(isAfter ? after : before);
  rmSync(folder, { recursive: true });
  return isAfter ? "after" : "before";
}
