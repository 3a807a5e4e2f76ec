/** @module-tag slow */
import { expect, it } from "vitest";
import { launcher } from "./support/built-program.ts";
import { startPostgres } from "./support/fleet/postgres.ts";
import { runStorm } from "./support/fleet/storm.ts";
import { rounds } from "./support/rounds.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const runs = rounds(8);

// `npm run bench -- fleet --only storm` does the same with 2,000 runs.
it("a fleet ends every run once while workers, the database and the provider fail", async () => {
  await using folder = temporaryFolder();
  await using postgres = await startPostgres();
  let random = 0;
  const report = await runStorm({
    ...{ folder: folder.path, program: [process.execPath, launcher], postgres },
    ...{ runs, workers: 2, slots: runs / 4, random: () => (random = (random + 0.5) % 1) },
    ...{ killEveryMs: 5_000, restartDatabaseEveryMs: 7_000, stormEveryMs: 4_000, stormMs: 1_500 },
    mostKills: rounds(1),
  });
  expect(report.faults).toEqual([]);
  expect(report.outcomes).toEqual({ solved: runs });
  expect(report.spent).toBeGreaterThanOrEqual(report.charged - 1e-6);
});
