/** Stores a file. Arguments: workspace, path, folder of blobs. Prints the result, and the memory used. */
import type { ToolError } from "../../../src/contract/error.ts";
import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";
import { openBlobs } from "../../../src/journal/blobs.ts";

const [workspace, path, folder] = process.argv.slice(2) as [string, string, string];
const environment = openLocalEnvironment({ workspace });
const before = process.resourceUsage().maxRSS;
const answer = await openBlobs(folder)
  .keepFile(environment, path)
  .catch(({ code, message, hint }: ToolError) => ({ code, message, hint }));
const grownBytes = (process.resourceUsage().maxRSS - before) * 1024;
process.stdout.write(JSON.stringify({ answer, grownBytes }));
await environment.close();
