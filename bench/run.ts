/**
 * Measures Toolcrib against references and peers in the same run, and attacks it.
 *   npm run bench [-- <group> …] [--only <words>] [--tries N] [--kills N] [--json] [--strict] [--write-docs]
 *   npm run bench -- edit [--engine <its plan-edits.ts>] [--show <words of a class>]
 *   npm run bench -- growth [--sizes 1k,10k,1m] [--subject <another checkout>] [--subject .]
 *   npm run bench -- meaning [--embeddings <provider/model>]
 *   npm run bench -- [<group> …] --against baseline: what got worse since bench/baseline.json was measured
 *   npm run bench -- <group> … --save baseline [--subject <another checkout>] [--given "time: npm test, seconds=120"]
 */
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { attackNames, crashChangeSets, crashWriters, raceForEscapes } from "./attacks.ts";
import { compareFigures, figuresOf, printComparison, readBaseline, saveBaseline } from "./baseline.ts";
import { ensureData } from "./data/data.ts";
import { groupNames, loadGroup } from "./groups.ts";
import { type CaseResult, measure } from "./harness.ts";
import { installPeers } from "./peers.ts";
import { publish } from "./publish.ts";
import { describeMachine, printCase, printSummary, type Report } from "./report.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", default: "" },
    engine: { type: "string" },
    show: { type: "string" },
    sizes: { type: "string" },
    embeddings: { type: "string" },
    subject: { type: "string", multiple: true },
    against: { type: "string" },
    save: { type: "string" },
    given: { type: "string", multiple: true, default: [] },
    tries: { type: "string" },
    kills: { type: "string", default: "500" },
    json: { type: "boolean", default: false },
    strict: { type: "boolean", default: false },
    "write-docs": { type: "boolean", default: false },
  },
});
const isAll = options.given.length === 0 && (positionals.length === 0 || positionals.includes("all"));
const measuredBefore =
  options.against === undefined
    ? undefined
    : groupNames.filter((name) => name in readBaseline(options.against!).measured);
const wanted = !isAll ? positionals : (measuredBefore ?? [...groupNames, ...attackNames]);
/** These groups measure a checkout with their own code; all others are measured by the code of that checkout. */
const measuresSubject = (name: string) => name === "growth" || name === "weight";
const subject = resolve(options.subject?.[0] ?? join(import.meta.dirname, ".."));
process.env.TOOLCRIB_BENCH_SUBJECT = subject;

if (options.subject === undefined && wanted.some((name) => name !== "weight")) installPeers();
const results: CaseResult[] = [];
for (const name of wanted) {
  for await (const result of run(name)) {
    results.push(result);
    if (!options.json) console.log(printCase(result));
  }
}
const report: Report = { machine: describeMachine(), results };
console.log(options.json ? JSON.stringify(report, undefined, 2) : printSummary(report));
const given = Object.fromEntries(
  options.given.map((text) => [
    text.slice(0, text.lastIndexOf("=")),
    Number(text.slice(text.lastIndexOf("=") + 1)),
  ]),
);
if (options.save !== undefined) {
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: subject, encoding: "utf8" }).trim();
  saveBaseline(options.save, { commit, machine: report.machine, results, given });
}
if (options.against !== undefined) {
  const now = { ...figuresOf(results), ...given };
  console.log(printComparison(compareFigures(readBaseline(options.against).figures, now)));
}
if (options["write-docs"]) publish(report, [...groupNames, ...attackNames], options.only);
process.exitCode = exitCode();

function run(name: string): AsyncGenerator<CaseResult> {
  if (options.subject !== undefined && !measuresSubject(name)) return runInSubject(name);
  // Run alone, the race makes the million tries that the goal promises; with other groups, a tenth of them.
  if (name === "race")
    return raceForEscapes({ tries: Number(options.tries ?? (isAll ? 100_000 : 1_000_000)) });
  if (name === "crash") return crash();
  return measureGroup(name);
}

async function* runInSubject(name: string): AsyncGenerator<CaseResult> {
  const args = [join(subject, "bench", "run.ts"), name, "--only", options.only, "--json"];
  const printed = execFileSync(process.execPath, args, {
    cwd: subject,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "inherit"],
  });
  yield* (JSON.parse(printed) as Report).results;
}

async function* crash(): AsyncGenerator<CaseResult> {
  yield* crashWriters({ kills: Number(options.kills) });
  yield* crashChangeSets();
}

async function* measureGroup(name: string): AsyncGenerator<CaseResult> {
  const group = await loadGroup(name);
  for (const data of group.needs) ensureData(data);
  group.prepare?.();
  if (group.run) yield* group.run(options);
  for (const given of group.cases) {
    if (given.name.includes(options.only)) yield measure(name, given);
  }
}

/** A missed goal is a failure only with --strict; a successful attack always is. */
function exitCode(): number {
  const failed = results.filter(({ verdicts }) => verdicts.some(({ met }) => !met));
  const isAttack = (name: string) => attackNames.some((attack) => attack === name);
  return failed.some(({ group }) => options.strict || isAttack(group)) ? 1 : 0;
}
