/** Reads a file and prints its error as JSON. Arguments: the workspace, and the path. */

import { failureOf } from "../../../src/environment/conformance/world.ts";
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";
import { fileRead } from "../../../src/tools/file/read.ts";
import { toolContext } from "../tool-context.ts";

const [workspace, path] = process.argv.slice(2) as [string, string];
const environment = openLocalEnvironment({ workspace });
process.stdout.write(JSON.stringify(await failureOf(fileRead.run({ path }, toolContext(environment)))));
