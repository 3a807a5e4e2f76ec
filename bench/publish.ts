import { readFileSync, writeFileSync } from "node:fs";
import { writePage } from "./page.ts";
import type { Report } from "./report.ts";

const page = new URL("../docs/benchmarks.md", import.meta.url);
const published = new URL("../docs/benchmarks.json", import.meta.url);

/** Replaces the published results of the groups that were run. The others stay. `order` is that of the page. */
export function publish(report: Report, order: readonly string[]): void {
  const fresh = new Set(report.results.map(({ group }) => group));
  const kept = readPublished().results.filter(({ group }) => !fresh.has(group));
  const results = [...kept, ...report.results].toSorted(
    (left, right) => order.indexOf(left.group) - order.indexOf(right.group),
  );
  const merged = { machine: report.machine, results };
  writeFileSync(published, `${JSON.stringify(merged, undefined, 2)}\n`);
  writeFileSync(page, writePage(merged));
}

function readPublished(): Pick<Report, "results"> {
  try {
    return JSON.parse(readFileSync(published, "utf8")) as Report;
  } catch {
    // Nothing was published yet.
    return { results: [] };
  }
}
