/**
 * Increments a counter in several files together, many times, while other processes do the same. Continues only from
 * a state in which all files are equal: after a partial change all processes would stop. Prints the number of
 * increments. Arguments: the folder of workspace and records, the number of increments, and the files.
 */
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ToolError } from "../../../src/contract/error.ts";
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";
import { contentHash } from "../../../src/lib/bytes/content-hash.ts";

const [home, times, ...paths] = process.argv.slice(2) as [string, string, ...string[]];
const environment = openLocalEnvironment({
  workspace: join(home, "workspace"),
  changeRecords: join(home, "records"),
});
const maxWaits = 5000;

let counted = 0;
for (let waits = 0; counted < Number(times) && waits < maxWaits; waits += 1) {
  const texts = await Promise.all(
    paths.map(async (path) => `${(await environment.readFile(path, { maxBytes: 100 })).bytes}`),
  );
  if (new Set(texts).size > 1) await setTimeout(1);
  else if (await countOn(texts[0]!)) waits = 0;
}
process.stdout.write(JSON.stringify(counted));

async function countOn(text: string): Promise<boolean> {
  const before = contentHash(Buffer.from(text));
  const after = Buffer.from(`${Number(text) + 1}`);
  try {
    await environment.change(
      paths.map((path) => ({ path, before, after })),
      { durable: false },
    );
    counted += 1;
    return true;
  } catch (error) {
    if (error instanceof ToolError && error.code === "stale") return false;
    throw error;
  }
}
