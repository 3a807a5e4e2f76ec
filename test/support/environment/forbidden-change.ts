/** Changes a read-only file, alone and together with another, and deletes it; prints the results as JSON. */

import { failureOf } from "../../../src/environment/conformance/world.ts";
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";
import { contentHash } from "../../../src/lib/bytes/content-hash.ts";

const environment = openLocalEnvironment({ workspace: process.argv[2]! });
const before = contentHash(Buffer.from("old"));
const update = (path: string) => ({ path, before, after: Buffer.from("new") });
const results = [
  await failureOf(environment.change([update("protected")])),
  await failureOf(environment.change([update("free"), update("protected")])),
];
await environment.change([{ path: "protected", before, after: "nothing" }]);
process.stdout.write(JSON.stringify([...results, "deleted"]));
