/**
 * Changes two files together. Before the second is changed, another process writes the first, and the disk fails.
 * Prints the result as JSON. Arguments: the workspace, and the folder of records.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { failureOf } from "../../../src/environment/conformance/world.ts";
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";
import { contentHash } from "../../../src/lib/bytes/content-hash.ts";
import { systemError } from "../../../src/system/file-errors.ts";

const [workspace, changeRecords] = process.argv.slice(2) as [string, string];
const environment = openLocalEnvironment({ workspace, changeRecords });

const { renameSync } = fs;
fs.renameSync = (from, to) => {
  if (!String(to).endsWith("/two")) return renameSync(from, to);
  fs.writeFileSync(join(workspace, "one"), "by hand");
  throw systemError("EIO", "two");
};
syncBuiltinESMExports();

const changes = ["one", "two"].map((path) => ({
  path,
  before: contentHash(Buffer.from("old")),
  after: Buffer.from("new"),
}));
process.stdout.write(JSON.stringify(await failureOf(environment.change(changes))));
