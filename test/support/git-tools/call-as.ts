import { openToolcrib } from "../../../src/toolcrib/index.ts";

/** Makes calls in a process of its own, for a person whose home is in its environment; prints the results as JSON. */
const [workspace = "", home = "", calls = "[]"] = process.argv.slice(2);
const crib = await openToolcrib({
  workspace,
  stateDirectory: `${home}/state`,
  configDirectory: `${home}/config`,
  mode: "cautious",
});
const results = [];
for (const [tool, input] of JSON.parse(calls) as [string, object][])
  results.push(await crib.call(tool, input));
await crib.close();
process.stdout.write(JSON.stringify(results));
