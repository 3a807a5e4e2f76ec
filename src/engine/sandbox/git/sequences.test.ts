/** @module-tag slow */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sequences } from "../../../../test/support/confined-git/sequences.ts";
import { openTwoArms, type TwoArms } from "../../../../test/support/confined-git/two-arms.ts";
import { inLanes } from "../../../../test/support/in-lanes.ts";
import { missingHere } from "../../../../test/support/sandbox-fixture.ts";

const missing = await missingHere("bwrap");

/** Sequences that differ from plain git today. A sequence that becomes equal must be taken off this list. */
const differToday: ReadonlySet<string> = new Set([
  "create, switch and delete",
  "delete a merged branch with settings",
  "delete an unmerged branch",
  "rename a branch",
  "copy a branch",
  "track a remote branch",
  "switch and create with tracking",
  "track a remote branch by its name",
  "set and unset the upstream",
  "describe a branch",
  "orphan branch",
  "branch over a folder name",
  "three heads at once",
  "rerere",
  "merge of unrelated histories",
  "rebase over protected files",
  "stash over a checkout",
  "packed refs",
  "push a new branch",
  "push a new branch by its name",
  "push with auto-setup",
  "add and remove a remote",
  "rename a remote",
  "set the address of a remote",
  "heads of a remote",
  "a remote outside",
  "a name and an address",
  "settings of a branch",
  "how to pull and push",
  "line ends and colours",
  "a setting that is added twice",
  "settings in parallel",
  "restore of a deleted folder of settings",
  "read-tree and checkout-index",
  "a hook that reads its input and arguments",
  "add a submodule",
  "init and update",
  "push from a submodule",
  "update to the remote",
  "deinit and remove",
  "move a submodule",
  "checkout with and without a submodule",
  "change the address",
  "absorb git directories",
  "a settings command in a submodule",
  "a work tree with a new branch",
  "a work tree that follows a remote",
  "settings of a work tree",
  "sparse checkout",
  "sparse checkout with patterns",
  "branch, test, commit and push",
  "branch, npm test and push",
  "npm version",
  "feature branch to the end",
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
  "init again",
  "init a bare repository",
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
    expect(differing).toEqual(all.map(([name]) => name).filter((name) => differToday.has(name)));
  });
});
