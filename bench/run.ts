/**
 * Measures Toolcrib against references and peers in the same run.
 *   npm run bench [-- <group> …] [--only <words in the case's name>] [--json] [--strict] [--write-docs]
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { ensureData } from "./data/data.ts";
import { groupNames, loadGroup } from "./groups.ts";
import { type CaseResult, measure } from "./harness.ts";
import { writePage } from "./page.ts";
import { installPeers } from "./peers.ts";
import { describeMachine, printCase, printSummary, type Report } from "./report.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", default: "" },
    json: { type: "boolean", default: false },
    strict: { type: "boolean", default: false },
    "write-docs": { type: "boolean", default: false },
  },
});
const wanted = positionals.length === 0 || positionals.includes("all") ? groupNames : positionals;

installPeers();
const results: CaseResult[] = [];
for (const name of wanted) {
  for await (const result of runGroup(name)) {
    results.push(result);
    if (!options.json) console.log(printCase(result));
  }
}
const report: Report = { machine: describeMachine(), results };
console.log(options.json ? JSON.stringify(report, undefined, 2) : printSummary(report));
if (options["write-docs"]) {
  writeFileSync(new URL("../docs/benchmarks.md", import.meta.url), writePage(report));
}
const isMissed = results.some(({ verdicts }) => verdicts.some(({ met }) => !met));
if (options.strict && isMissed) process.exitCode = 1;

async function* runGroup(name: string): AsyncGenerator<CaseResult> {
  const group = await loadGroup(name);
  for (const data of group.needs) ensureData(data);
  group.prepare?.();
  for (const given of group.cases) {
    if (given.name.includes(options.only)) yield measure(name, given);
  }
}
