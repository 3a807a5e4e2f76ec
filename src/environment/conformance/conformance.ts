import { describe } from "vitest";
import { testAnnouncing } from "./announcing.ts";
import { testChanging } from "./changing.ts";
import { testDeleting } from "./deleting.ts";
import { testDirectories } from "./directories.ts";
import { testEntries } from "./entries.ts";
import { testLines } from "./lines.ts";
import { testMoving } from "./moving.ts";
import { testPaths } from "./paths.ts";
import { testReading } from "./reading.ts";
import { testSnapshots } from "./snapshots.ts";
import type { OpenWorld } from "./world.ts";
import { testWriting } from "./writing.ts";

/** Registers the tests that every environment must pass. Those of snapshots are for environments that have them. */
export function testConformance(name: string, open: OpenWorld, { snapshots = true } = {}): void {
  testSomeConformance(name, open);
  testOtherConformance(name, open, { snapshots });
}

/** Registers the tests that `testSomeConformance` leaves out. */
export function testOtherConformance(name: string, open: OpenWorld, { snapshots = true } = {}): void {
  describe(`${name}: paths`, () => testPaths(open));
  describe(`${name}: lines`, () => testLines(open));
  describe(`${name}: changing`, () => testChanging(open));
  describe(`${name}: deleting`, () => testDeleting(open));
  describe(`${name}: announcing`, () => testAnnouncing(open));
  describe(`${name}: directories`, () => testDirectories(open));
  if (snapshots) describe(`${name}: snapshots`, () => testSnapshots(open));
}

/** Registers some of these tests, for an environment with the code of another one that passes them all. */
export function testSomeConformance(name: string, open: OpenWorld): void {
  describe(`${name}: reading`, () => testReading(open));
  describe(`${name}: writing`, () => testWriting(open));
  describe(`${name}: moving`, () => testMoving(open));
  describe(`${name}: entries`, () => testEntries(open));
}
