/** Walks through a workspace, searches it with each engine, and prints the results as JSON. */

import { openLocalEnvironment } from "../../../src/environment/local/local-environment.ts";
import { walkFiles } from "../../../src/files/walk.ts";
import { grep } from "../../../src/tools/search/grep.ts";
import { usualBudget } from "../../../src/tools/search/grep-search.ts";
import { toolContext } from "../tool-context.ts";

const environment = openLocalEnvironment({ workspace: process.argv[2]! });
const { signal } = new AbortController();

const found: string[] = [];
const failed: string[] = [];
const options = { hidden: false, ignoreFiles: true, signal, failed: (path: string) => failed.push(path) };
for await (const file of walkFiles(environment, "", options)) found.push(file.path);

const searches: unknown[] = [];
for (const budget of [{ files: 0, bytes: 0 }, usualBudget]) {
  const { data, text } = await grep({ pattern: "hit" }, toolContext(environment, signal), budget);
  searches.push({ engine: data.engine, text, unreadable: data.skipped.unreadable });
}
process.stdout.write(JSON.stringify({ walk: { found, failed }, searches }));
