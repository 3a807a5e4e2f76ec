/** Writes a file and prints the result as JSON. Arguments: the workspace, the path and the content. */

import { failureOf } from "../../../src/environment/conformance/world.ts";
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";
import { fileWrite } from "../../../src/tools/file/write.ts";
import { toolContext } from "../tool-context.ts";

const [workspace, path, content] = process.argv.slice(2) as [string, string, string];
const environment = openLocalEnvironment({ workspace });
process.stdout.write(
  JSON.stringify(await failureOf(fileWrite.run({ path, content }, toolContext(environment)))),
);
