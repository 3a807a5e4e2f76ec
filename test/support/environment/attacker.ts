/**
 * Replaces a directory, and a file, by a link to outside as fast as it can, until its parent has ended. Arguments:
 * the directory in the workspace to attack, and the target of the links. Started by race.ts.
 */
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";

const [door, fixture, outside] = process.argv.slice(2) as [string, string, string];
const parked = `${fixture}-parked`;
const link = `${fixture}-link`;
const parent = process.ppid;

process.stdout.write("ready\n");
while (process.ppid === parent) {
  repeat(50, exchangeDirectoryAndLink);
  repeat(50, turnLink);
  repeat(50, turnFileLink);
}

function repeat(times: number, attack: () => void): void {
  for (let time = 0; time < times; time += 1) {
    try {
      attack();
    } catch {
      // The other side has deleted or moved something; start again.
      quietly(() => rmSync(parked, { recursive: true }));
      quietly(() => unlinkSync(link));
      quietly(() => unlinkSync(door));
    }
  }
}

/** Directory, nothing, link to outside, nothing, directory. */
function exchangeDirectoryAndLink(): void {
  quietly(() => mkdirSync(door, { recursive: true }));
  quietly(() => writeFileSync(`${door}/file`, "inside", { flag: "wx" }));
  quietly(() => symlinkSync(outside, link));
  renameSync(door, parked);
  renameSync(link, door);
  renameSync(door, link);
  renameSync(parked, door);
}

/** A link that leads inside, then outside, then inside, without a gap. */
function turnLink(): void {
  quietly(() => renameSync(door, parked));
  for (const target of [fixture, outside, fixture, outside, fixture]) {
    symlinkSync(target, link);
    renameSync(link, door);
  }
  unlinkSync(door);
  renameSync(parked, door);
}

/** The same for a single file. */
function turnFileLink(): void {
  for (const target of [fixture, outside, fixture, outside, fixture]) {
    symlinkSync(`${target}/file`, link);
    renameSync(link, `${fixture}-file`);
  }
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // The other side did it.
  }
}
