/** @module-tag slow */
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sequences } from "../../../../test/support/confined-git/sequences.ts";
import { openTwoArms, type TwoArms } from "../../../../test/support/confined-git/two-arms.ts";
import { inLanes } from "../../../../test/support/in-lanes.ts";
import { missingHere } from "../../../../test/support/sandbox-fixture.ts";

const missing = await missingHere("bwrap");

/** The sequences that differ from plain git with this version of git. Another version may differ in fewer. */
const recordedVersion = /^git version 2\.39\./;
const isRecordedVersion =
  missing === undefined && recordedVersion.test(execFileSync("git", ["--version"], { encoding: "utf8" }));
const differToday: ReadonlySet<string> = new Set([
  "orphan branch",
  "three heads at once",
  "merge of unrelated histories",
  "rebase over protected files",
  "stash over a checkout",
  "a remote outside",
  "restore of a deleted folder of settings",
  "read-tree and checkout-index",
  "deinit and remove",
  "move a submodule",
  "checkout with and without a submodule",
  "absorb git directories",
  "sparse checkout",
  "with an index of its own",
  "checkout of a branch that changes workflows",
  "checkout of a branch with new settings",
  "checkout of a branch without settings",
  "a merge that changes workflows",
  "a merge with new settings",
  "a rebase over settings",
  "a cherry-pick of settings",
  "a reset over settings",
  "a stash over settings",
  "a bisect over settings",
  "far back and forth",
  "subtree",
]);

/** Set it to see every difference. */
const showsAll = process.env.SHOW_DIFFERENCES !== undefined;

describe.skipIf(missing !== undefined)("git in a sandbox does what plain git does:", () => {
  let arms: TwoArms;
  beforeAll(() => {
    arms = openTwoArms(2);
  });
  afterAll(() => arms?.[Symbol.asyncDispose]());

  it.for(Object.entries(sequences))("%s", { timeout: 600_000 }, async ([, group]) => {
    const all = Object.entries(group);
    const differing = (
      await inLanes(all.length, async (number) => {
        const [name, sequence] = all[number - 1]!;
        const differences = await arms.compare(name, sequence);
        const isExpected = differToday.has(name);
        if (showsAll || (differences.length > 0 && !isExpected)) {
          console.warn([`${name}: ${differences.length} differences`, ...differences].join("\n  "));
        }
        return differences.length > 0 ? [name] : [];
      })
    ).flat();
    const listed = all.map(([name]) => name).filter((name) => differToday.has(name));
    if (isRecordedVersion) expect(differing).toEqual(listed);
    else expect(differing.filter((name) => !differToday.has(name))).toEqual([]);
  });
});
