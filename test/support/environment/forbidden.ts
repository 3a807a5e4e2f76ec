/** Reads one file and writes others; prints the errors as JSON. Arguments: the workspace, and the paths. */
import { failureOf } from "../../../src/environment/conformance/world.ts";
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";

const [workspace, readable, ...writable] = process.argv.slice(2) as [string, string, ...string[]];
const environment = openLocalEnvironment({ workspace });
const failures = [await failureOf(environment.readFile(readable, { maxBytes: 100 }))];
for (const path of writable) failures.push(await failureOf(environment.writeFile(path, Buffer.from("new"))));
process.stdout.write(JSON.stringify(failures));
