import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openLocalEnvironment } from "../src/environment/local/local-environment.ts";
import { makeChangeWorld, snapshot } from "../test/support/environment/change-world.ts";
import { dataPath } from "./data/data.ts";

export interface CrashedChanges {
  /** Steps of the change set. */
  readonly steps: number;
  /** Pairs of a killed change set and a killed recovery. */
  readonly pairs: number;
  /** Pairs that left a file neither in its old nor in its new state, or left temporary files. */
  readonly torn: number;
}

const home = dataPath("crash-changes");
const crashed = join(home, "crashed");
const world = join(home, "world");
const changer = fileURLToPath(new URL("../test/support/environment/changer.ts", import.meta.url));

/** Kills a change set before each of its steps and, for each of those, the next start before each of its steps. */
export async function crashChanges(): Promise<CrashedChanges> {
  rmSync(home, { recursive: true, force: true });
  makeWorld();
  const before = contentOfWorld();
  const { steps } = (await run("change", {})) ?? { steps: 0 };
  const ends = [before, contentOfWorld()];
  let [pairs, torn] = [0, 0];
  for (let killAt = 1; killAt <= steps; killAt++) {
    makeWorld();
    await run("change", { killAt });
    replace(crashed, world);
    for (let isKilled = true, then = 1; isKilled; then++) {
      replace(world, crashed);
      isKilled = (await run("recover", { killAt: then })) === undefined;
      await openLocalEnvironment(placesIn(world)).close();
      pairs++;
      if (!ends.includes(contentOfWorld())) torn++;
    }
  }
  return { steps, pairs, torn };
}

function placesIn(folder: string): { workspace: string; changeRecords: string } {
  return { workspace: join(folder, "workspace"), changeRecords: join(folder, "records") };
}

function makeWorld(): void {
  rmSync(world, { recursive: true, force: true });
  mkdirSync(join(world, "records"), { recursive: true });
  makeChangeWorld(world);
}

function contentOfWorld(): string {
  const { workspace, changeRecords } = placesIn(world);
  return JSON.stringify([snapshot(workspace), readdirSync(changeRecords)]);
}

/** Keeps hard links, unlike Node's own copy. */
function replace(target: string, source: string): void {
  rmSync(target, { recursive: true, force: true });
  execFileSync("cp", ["-a", source, target]);
}

/** Returns the number of steps; undefined when the process was killed. */
async function run(act: "change" | "recover", interference: object): Promise<{ steps: number } | undefined> {
  const child = spawn(process.execPath, [changer, world, act, JSON.stringify(interference)], {
    env: { ...process.env, NODE_COMPILE_CACHE: join(home, "compiled") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    output += piece;
  });
  await once(child, "close");
  return output === "" ? undefined : JSON.parse(output);
}
