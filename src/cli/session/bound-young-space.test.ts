/** @module-tag slow */
import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";

// In its own process, because the setting applies to all of it. Without it, the space usually exceeds 16 MB after 200
// rounds, depending on the available memory.
const program = `
  import { getHeapSpaceStatistics } from "node:v8";
  import { Listeners } from "${new URL("../../lib/async/listeners.ts", import.meta.url)}";
  const feed = new Listeners();
  const { boundYoungSpace } = await import("${new URL("./open-session.ts", import.meta.url)}");
  boundYoungSpace(feed);
  const kept = [];
  for (let round = 0; round < 1_000; round++) {
    feed.emit({ type: "round-start" });
    kept[round % 50] = Array.from({ length: 2_000 }, (_, index) => ({ round, index }));
  }
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  console.log(young.space_size / 1024 ** 2);
`;

function youngMegabytesAfterRounds(): number {
  const words = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", program];
  return Number(execFileSync(process.execPath, words, { encoding: "utf8" }));
}

it("stops the growth of the young generation", () => {
  expect(youngMegabytesAfterRounds()).toBeLessThanOrEqual(16);
});
