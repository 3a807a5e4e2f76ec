/**
 * Builds the index of a workspace and runs queries. Arguments: workspace, folder of the index, words to find. Prints
 * JSON: the state, and for each word the files that can contain it.
 */
import { openIndexer } from "../../../src/code/index/indexer.ts";
import { workerHere } from "./open-index.ts";

const [workspace, directory, ...words] = process.argv.slice(2) as [string, string, ...string[]];
const { signal } = new AbortController();
const index = openIndexer({
  workspace,
  directory,
  mayRead: async (paths) => paths.map(() => true),
  workers: [workerHere(workspace)],
});
const keepsAlive = setInterval(() => {}, 1000);
const state = await index.refresh({ signal, progress: () => {}, patienceMs: 60_000 });
const found = [];
for (const text of words)
  found.push(await index.candidates({ kind: "literal", text, ignoreCase: false }, { signal }));
await index.close();
clearInterval(keepsAlive);
process.stdout.write(JSON.stringify({ state, found }));
