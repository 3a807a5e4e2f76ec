import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { joinFigures, joinPaths } from "../../../src/environment/entry-columns.ts";
import { takeSnapshot } from "../../../src/environment/local/scan/take-snapshot.ts";
import { WatchedSnapshots } from "../../../src/environment/local/scan/watched-snapshots.ts";
import { PathChecker } from "../../../src/system/path-checker.ts";
import { ProcPinning } from "../../../src/system/pinning.ts";

/**
 * Takes snapshots of a workspace in a mount namespace of its own, around bind mounts. Prints whether each one has used a
 * watch, and whether it equals a scan of everything.
 */
const [root = "", other = ""] = process.argv.slice(2);
const pinning = new ProcPinning(root, new PathChecker(root, undefined));
const lines: unknown[] = [];
const run = (program: "mount" | "umount", args: readonly string[]) => void execFileSync(program, args);

async function open(): Promise<WatchedSnapshots> {
  const snapshots = new WatchedSnapshots({
    pinning,
    findPerl: async () => "perl",
    programs: () => ({ now: 0, atOnce: 0, areConfined: true }),
    placeholders: () => new Map(),
    limits: { minEntries: 0 },
  });
  for (let count = 0; count < 3; count += 1) await snapshots.take([], {});
  return snapshots;
}

async function check(snapshots: WatchedSnapshots, name: string): Promise<void> {
  const { entries } = await snapshots.take([], {});
  const { snapshot: fresh } = await takeSnapshot(pinning, [], {});
  const isSame =
    joinPaths(entries).equals(joinPaths(fresh.entries)) &&
    Buffer.from(joinFigures(entries).buffer).equals(Buffer.from(joinFigures(fresh.entries).buffer));
  lines.push([name, { isWatched: snapshots.pid !== undefined, isSame }]);
}

const first = await open();
await check(first, "before");
run("mount", ["--bind", other, join(root, "d")]);
await check(first, "a mount over a directory");
appendFileSync(join(other, "one"), "more");
await check(first, "a write through the other path");
await first.close();
run("umount", [join(root, "d")]);

run("mount", ["--bind", join(root, "f"), other]);
const second = await open();
appendFileSync(join(other, "four"), "more");
await check(second, "a directory that is mounted twice");
await second.close();
pinning.close();
console.log(JSON.stringify(lines));
