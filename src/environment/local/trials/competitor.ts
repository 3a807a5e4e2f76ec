/**
 * Changes three files together to what nobody else writes, many times, while others do the same, and prints what it
 * wrote last. Arguments: the folder of workspace and records, and how often.
 */
import { join } from "node:path";
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
for (let attempt = 0; written.length < Number(times); attempt += 1) {
  const content = `${process.pid} ${attempt}`;
  const order = attempt % 2 === 0 ? paths : paths.toReversed();
  try {
    const changes = await Promise.all(
      order.map(async (path) => {
        const { bytes } = await environment.readFile(path, { maxBytes: 100 });
        return { path, before: contentHash(bytes), after: Buffer.from(content) };
      }),
    );
    await environment.change(changes, { durable: false });
    written.push(content);
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "stale") throw error;
  }
}
process.stdout.write(JSON.stringify(written));
