import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type RaceResult, race, racedActions } from "../test/support/environment/race.ts";
import { openUnsafeEnvironment } from "../test/support/environment/unsafe-environment.ts";
import { crashChanges } from "./crash-changes.ts";
import { dataPath } from "./data/data.ts";
import type { CaseResult, Verdict } from "./harness.ts";
import { openSearchedEnvironment } from "./raced-search.ts";

/** Attacks that are repeated many times instead of timed. A single success of an attack fails the run. */
export const attackNames = ["race", "crash"] as const;
type AttackName = (typeof attackNames)[number];

/** Repeats every operation `tries` times in a folder that another process keeps replacing by a link to outside. */
export async function* raceForEscapes({ tries }: { tries: number }): AsyncGenerator<CaseResult> {
  for (const action of racedActions) yield judgeRace(action, await race(action, { tries }));
  for (const action of racedActions.filter((action) => action !== "list"))
    yield judgeRace(`${action}, of secrets inside`, await race(action, { tries, into: "guarded" }));
  const searchedBy = (by: "in process" | "ripgrep") => (workspace: string) =>
    openSearchedEnvironment(workspace, { by });
  yield judgeRace("search in process", await race("read", { tries, open: searchedBy("in process") }));
  const fewer = Math.ceil(tries / 100);
  yield judgeRace("search by ripgrep", await race("read", { tries: fewer, open: searchedBy("ripgrep") }));
  for (const action of ["read", "write"] as const) {
    yield judgeControl(action, await race(action, { tries, open: openUnsafeEnvironment }));
  }
}

function judgeRace(name: string, { tries, refused, escapes }: RaceResult): CaseResult {
  return attackResult("race", name, {
    about: "While another process exchanges a folder on the path for a link to outside, without pause.",
    goal: "no escape",
    value: escapes,
    measured: `${escapes} escapes in ${tries} tries, of which ${refused} were refused`,
    met: escapes === 0,
  });
}

function judgeControl(action: string, { tries, escapes }: RaceResult): CaseResult {
  return attackResult("race", `${action}, by a tool that looks first and opens then`, {
    about:
      "The same attack on what file tools usually do. It must get through, else the others prove nothing.",
    goal: "some escape",
    value: escapes,
    measured: `${escapes} escapes in ${tries} tries`,
    met: escapes > 0,
  });
}

/** Kills a process that writes a file without pause, `kills` times, and checks the file each time. */
export async function* crashWriters({ kills }: { kills: number }): AsyncGenerator<CaseResult> {
  let torn = 0;
  for (let time = 0; time < kills; time++) {
    if (!isWhole(await killWriter())) torn++;
  }
  yield attackResult("crash", "kill -9 of a writer", {
    about:
      "A process that replaces a file of 300 KB without pause, with and without fdatasync, is killed at random moments.",
    goal: "old or new content",
    value: torn,
    measured: `${torn} torn in ${kills} kills`,
    met: torn === 0,
  });
}

/** Kills a change set, and the recovery after it, at every step. */
export async function* crashChangeSets(): AsyncGenerator<CaseResult> {
  const { steps, pairs, torn } = await crashChanges();
  yield attackResult("crash", "kill -9 of a change of many files, and of the start after it", {
    about:
      "Adds, updates, deletes, moves, a mode and a hard link in one change set; killed before each of its steps, and then the recovery before each of its own.",
    goal: "all files old or all new",
    value: torn,
    measured: `${torn} torn in ${pairs} pairs of kills, at all ${steps} steps`,
    met: torn === 0 && pairs > steps,
  });
}

const writer = fileURLToPath(new URL("../test/support/environment/writer.ts", import.meta.url));

/** The file as the killed process left it. */
async function killWriter(): Promise<string> {
  const workspace = dataPath("crash");
  const file = join(workspace, "folder", "file");
  mkdirSync(dirname(file), { recursive: true });
  if (!existsSync(file)) writeFileSync(file, "a".repeat(contentLength));
  const child = spawn(process.execPath, [writer, workspace], { stdio: ["ignore", "pipe", "inherit"] });
  const exit = once(child, "exit");
  await once(child.stdout, "data");
  await setTimeout(Math.random() * 20);
  child.kill("SIGKILL");
  await exit;
  return readFileSync(file, "latin1");
}

/** The writer repeats one letter this often. */
const contentLength = 300_000;

function isWhole(content: string): boolean {
  return content.length === contentLength && content === content[0]!.repeat(contentLength);
}

function attackResult(
  group: AttackName,
  name: string,
  { about, ...verdict }: { about: string } & Verdict,
): CaseResult {
  return { group, name, about, contenders: [], verdicts: [verdict] };
}
