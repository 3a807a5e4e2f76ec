import { describe } from "vitest";
import { testAnnouncing } from "./announcing.ts";
import { testChanging } from "./changing.ts";
import { testDeleting } from "./deleting.ts";
import { testDirectories } from "./directories.ts";
import { testEffects } from "./effects.ts";
import { testEntries } from "./entries.ts";
import { testLines } from "./lines.ts";
import { testMoving } from "./moving.ts";
import { testPaths } from "./paths.ts";
import { testReading } from "./reading.ts";
import type { OpenWorld } from "./world.ts";
import { testWriting } from "./writing.ts";

/** Registers the tests that every environment must pass. Those of effects are for environments that have them. */
export function testConformance(name: string, open: OpenWorld, { effects = true } = {}): void {
  testSomeConformance(name, open);
  testOtherConformance(name, open, { effects });
}

/** Registers the tests that `testSomeConformance` leaves out. */
export function testOtherConformance(name: string, open: OpenWorld, { effects = true } = {}): void {
  describe(`${name}: paths`, () => testPaths(open));
  describe(`${name}: lines`, () => testLines(open));
  describe(`${name}: changing`, () => testChanging(open));
  describe(`${name}: deleting`, () => testDeleting(open));
  describe(`${name}: announcing`, () => testAnnouncing(open));
  describe(`${name}: directories`, () => testDirectories(open));
  if (effects) describe(`${name}: effects`, () => testEffects(open));
}

/** Registers some of these tests, for an environment with the code of another one that passes them all. */
export function testSomeConformance(name: string, open: OpenWorld): void {
  describe(`${name}: reading`, () => testReading(open));
  describe(`${name}: writing`, () => testWriting(open));
  describe(`${name}: moving`, () => testMoving(open));
  describe(`${name}: entries`, () => testEntries(open));
}
