/** Reads a file and prints as JSON how that failed. Arguments: the workspace, and the path. */
import { toolContext } from "../../../../test/tool-context.ts";
import { failureOf } from "../../../environment/conformance/world.ts";
import { openLocalEnvironment } from "../../../environment/local/local-environment.ts";
import { fileRead } from "../read.ts";

const [workspace, path] = process.argv.slice(2) as [string, string];
const environment = openLocalEnvironment({ workspace });
process.stdout.write(JSON.stringify(await failureOf(fileRead.run({ path }, toolContext(environment)))));
