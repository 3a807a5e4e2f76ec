/**
 * Writes a file without disk space for the journal. Arguments: workspace, state folder. Prints the result as JSON.
 */
import { join } from "node:path";
import { openToolcrib } from "../../../src/toolcrib/index.ts";

const [workspace, stateDirectory] = process.argv.slice(2) as [string, string];
const configDirectory = join(stateDirectory, "config");
const crib = await openToolcrib({ workspace, stateDirectory, configDirectory });
const { error } = await crib.call("file.write", { path: "old", content: "new" });
process.stdout.write(JSON.stringify(error));
await crib.close();
