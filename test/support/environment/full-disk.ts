/** Tries to write more than the limit allows. Arguments: the workspace, and a folder. Prints the errors as JSON. */
import { ToolError } from "../../../src/contract/error.ts";
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";
import { contentHash } from "../../../src/lib/bytes/content-hash.ts";

const [workspace, changeRecords] = process.argv.slice(2) as [string, string];
const environment = openLocalEnvironment({ workspace, changeRecords });
const much = Buffer.alloc(100_000, "x");
const before = contentHash(Buffer.from("old content"));
const tries = [
  () => environment.writeFile("old", much),
  () => environment.writeFile("new/folder/file", much),
  () =>
    environment.change([
      { path: "a/small", before: "nothing", after: Buffer.from("fits") },
      { path: "old", before, after: Buffer.from("fits") },
      { path: "z/large", before: "nothing", after: much },
    ]),
];
const failures: object[] = [];
for (const act of tries) {
  try {
    await act();
    failures.push({});
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    failures.push({ code: error.code, message: error.message, hint: error.hint });
  }
}
process.stdout.write(JSON.stringify(failures));
