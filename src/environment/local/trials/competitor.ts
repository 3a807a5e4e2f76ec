/**
 * Changes three files together to what nobody else writes, many times, while others do the same. Only goes on from a
 * state in which all are equal: had anybody's change been done by half, all would stop there. Prints what it wrote.
 * Arguments: the folder of workspace and records, and how often.
 */
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ToolError } from "../../../contract/error.ts";
import { contentHash } from "../../../text/content-hash.ts";
import { openLocalEnvironment } from "../local-environment.ts";

const [home, times] = process.argv.slice(2) as [string, string];
const environment = openLocalEnvironment({
  workspace: join(home, "workspace"),
  changeRecords: join(home, "records"),
});
const paths = ["a/one", "a/two", "b/three"];
const written: string[] = [];
const maxWaits = 5000;

let waits = 0;
for (let attempt = 0; written.length < Number(times) && waits < maxWaits; attempt += 1) {
  const hashes = await Promise.all(
    paths.map(async (path) => contentHash((await environment.readFile(path, { maxBytes: 100 })).bytes)),
  );
  waits += 1;
  if (new Set(hashes).size > 1) await setTimeout(1);
  else if (await change(`${process.pid} ${attempt}`, hashes[0]!)) waits = 0;
}
process.stdout.write(JSON.stringify(written));

async function change(content: string, before: string): Promise<boolean> {
  try {
    const changes = paths.map((path) => ({ path, before, after: Buffer.from(content) }));
    await environment.change(changes, { durable: false });
    return written.push(content) > 0;
  } catch (error) {
    if (error instanceof ToolError && error.code === "stale") return false;
    throw error;
  }
}
