/**
 * Repeats each raced action, and exchanges the directory between two of its file system calls, at a different
 * position each time. This always detects an implementation that checks a path and then uses it by name; a race
 * detects it only sometimes. Prints the results as JSON, by kind of environment and action.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { ToolError } from "../../../src/contract/error.ts";
import {
  actions,
  changesIn,
  makeRaceWorld,
  type RacedAction,
  type RaceOptions,
  type RaceResult,
  type RaceWorld,
} from "./race.ts";
import { racedEnvironments } from "./raced-environments.ts";
import { openUnsafeEnvironment } from "./unsafe-environment.ts";

/** The state of `house/door`: the directory, a link to a directory in the workspace, or a link to outside. */
type Door = "directory" | "room" | "outside";

/** Its state at first, during one call, and afterwards. */
type Schedule = readonly [before: Door, during: Door, after: Door];

const schedules: readonly Schedule[] = [
  ["directory", "outside", "outside"],
  ["directory", "outside", "directory"],
  ["room", "outside", "room"],
  ["outside", "outside", "directory"],
];

/**
 * Actions that depend on the number of the attempt. For a change, the third variant fits only the content outside.
 */
const variants: Partial<Record<RacedAction, number>> = { write: 2, "delete tree": 2, move: 2, change: 3 };

/** The entries that changing actions need in the directory. */
const changedNames: Partial<Record<RacedAction, readonly string[]>> = {
  write: ["file"],
  delete: ["file"],
  "delete tree": ["file", "tree/file"],
  move: ["file", "other"],
  change: ["file"],
};

type Call = (...call: unknown[]) => unknown;

/** The file system without interruptions, for this program itself. */
const real = { ...fs };
/** Called before each synchronous call of the file system. */
let beforeCall: (() => void) | undefined;

interruptCalls();
const results: Record<string, Record<string, RaceResult>> = {};
for (const [name, { options, actions: names }] of Object.entries(racedEnvironments)) {
  const found: Record<string, RaceResult> = {};
  for (const action of names) found[action] = await interleave(action, options);
  results[name] = found;
}
results["checked by name"] = {
  read: await interleave("read", { open: openUnsafeEnvironment }),
  write: await interleave("write", { open: openUnsafeEnvironment }),
};
process.stdout.write(JSON.stringify(results));

function interruptCalls(): void {
  for (const [name, act] of Object.entries(fs) as [string, unknown][]) {
    if (typeof act !== "function" || !name.endsWith("Sync") || name === "closeSync") continue;
    const interrupted: Call = (...call) => {
      beforeCall?.();
      return (act as Call)(...call);
    };
    (fs as unknown as Record<string, Call>)[name] = Object.assign(interrupted, act);
  }
  syncBuiltinESMExports();
}

async function interleave(action: RacedAction, options: RaceOptions): Promise<RaceResult> {
  const world = makeRaceWorld(options);
  const { environment, outside, home } = world;
  const total = { tries: 0, succeeded: 0, refused: 0, escapes: 0 };
  for (const schedule of schedules) {
    for (let variant = 0; variant < (variants[action] ?? 1); variant += 1) {
      let [at, isReached] = [0, true];
      while (isReached) {
        at += 1;
        restore(world, action);
        exchange(world, schedule[0]);
        let calls = 0;
        beforeCall = () => {
          calls += 1;
          // The action may treat an error as its own, so an error of the attack ends this program.
          if (calls === at) orEnd(() => exchange(world, schedule[1]));
          if (calls === at + 1) orEnd(() => exchange(world, schedule[2]));
        };
        try {
          if ((await actions[action](environment, variant)) === "secret") total.escapes += 1;
          total.succeeded += 1;
        } catch (error) {
          if (!(error instanceof ToolError) || error.code === "internal") throw error;
          total.refused += 1;
        } finally {
          beforeCall = undefined;
        }
        isReached = calls >= at;
        total.tries += 1;
        total.escapes += changesIn(outside);
      }
    }
  }
  await environment.close();
  real.rmSync(home, { recursive: true, force: true });
  return total;
}

/** Gives the directory and the link target the entries that the action needs, and no others. */
function restore({ door, fixture }: RaceWorld, action: RacedAction): void {
  const names = changedNames[action];
  // Reading changes nothing.
  if (names === undefined) return;
  for (const folder of [join(door, ".."), fixture]) real.rmSync(folder, { recursive: true, force: true });
  for (const folder of [door, fixture]) {
    real.mkdirSync(join(folder, action === "delete tree" ? "tree" : "."), { recursive: true });
    for (const name of names) real.writeFileSync(join(folder, name), "inside");
  }
}

/** Sets the directory, and the link to a file next to it, to a state. */
function exchange({ door, fixture, outside }: RaceWorld, to: Door): void {
  const parked = `${fixture}-parked`;
  const isDirectory = real.lstatSync(door, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isDirectory !== (to === "directory")) {
    real.mkdirSync(join(door, ".."), { recursive: true });
    if (isDirectory) {
      real.rmSync(parked, { recursive: true, force: true });
      real.renameSync(door, parked);
    } else removeLink(door);
    if (to === "directory" && real.existsSync(parked)) real.renameSync(parked, door);
  }
  const target = to === "outside" ? outside : fixture;
  if (to !== "directory") replaceLink(door, target);
  replaceLink(`${fixture}-file`, `${target}/file`);
}

function replaceLink(path: string, target: string): void {
  real.mkdirSync(join(path, ".."), { recursive: true });
  removeLink(path);
  real.symlinkSync(target, path);
}

function removeLink(path: string): void {
  if (real.lstatSync(path, { throwIfNoEntry: false }) !== undefined) real.unlinkSync(path);
}

function orEnd(act: () => void): void {
  try {
    act();
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
}
