/** @module-tag slow */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type Attack, afterwards, whileRunning } from "../../../../test/support/confined-git/attacks.ts";
import { openWatchedRepository } from "../../../../test/support/confined-git/polling-editor.ts";
import { missingHere } from "../../../../test/support/sandbox-fixture.ts";

const missing = await missingHere("bwrap");

const untilTheEnd = "repositories are checked when the command ends, and the editor asks before";

/** Attacks that succeed today, with the reason. One that no longer succeeds must be taken off this list. */
const succeedToday: Readonly<Record<string, string>> = {
  "a nested repository with a gitlink": untilTheEnd,
  "a nested repository that the editor opens": untilTheEnd,
  "a gitlink first and its repository later": untilTheEnd,
  "a link to another git directory": untilTheEnd,
  "a bare repository at the top, with garbage in HEAD": untilTheEnd,
};

/** Returns what ran outside while the command ran, and afterwards. */
async function attack(given: Attack, how: "confined" | "plain"): Promise<readonly string[]> {
  await using repository = openWatchedRepository(given.given, given.opened);
  const { fixture, asUser, ranOutside } = repository;
  let isOver = false;
  const running = repository.run(given.plant, how).finally(() => {
    isOver = true;
  });
  if (given.meanwhile !== undefined) {
    while (!isOver && !existsSync(join(fixture.workspace, "ready"))) await setTimeout(10);
    asUser(`${given.meanwhile}; touch done`);
  }
  await running;
  asUser(given.next ?? "git status");
  for (const folder of given.opened ?? []) asUser(`git -C '${folder}' status`);
  return ranOutside();
}

const groups = { "while a command runs": whileRunning, "after a command": afterwards };

for (const [when, attacks] of Object.entries(groups)) {
  describe.skipIf(missing !== undefined)(`the user's git, ${when},`, () => {
    for (const [name, given] of Object.entries(attacks)) {
      const reason = succeedToday[name];
      const test = reason === undefined ? it : it.fails;
      test(`runs nothing of ${name}${reason === undefined ? "" : ` (fails today: ${reason})`}`, async () => {
        expect(await attack(given, "confined")).toEqual([]);
      });

      it(`without a sandbox, runs ${name}`, async () => {
        expect(await attack(given, "plain")).toEqual(["ran"]);
      });
    }
  });
}
