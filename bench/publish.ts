import { readFileSync, writeFileSync } from "node:fs";
import type { CaseResult } from "./harness.ts";
import { writePage } from "./page.ts";
import type { Report } from "./report.ts";

const page = new URL("../docs/benchmarks.md", import.meta.url);
const published = new URL("../docs/benchmarks.json", import.meta.url);

/**
 * Replaces the published results of the groups that were run, or with `only` of the cases. The others stay. `order` is
 * that of the page.
 */
export function publish(report: Report, order: readonly string[], only: string): void {
  const keyOf = ({ group, name }: CaseResult) => (only === "" ? group : `${group}: ${name}`);
  const before = readPublished();
  const fresh = new Set(report.results.map(keyOf));
  const kept = (before?.results ?? []).filter((result) => !fresh.has(keyOf(result)));
  // The page names one machine, that of the results that stay. New results name theirs when it is another.
  const machine = before === undefined || kept.length === 0 ? report.machine : before.machine;
  const { processor, cores } = report.machine;
  const where = processor === machine.processor ? "" : ` Measured on ${processor}, ${cores} cores.`;
  const results = report.results.map((result) => ({ ...result, about: `${result.about}${where}` }));
  const all = [...kept, ...results].toSorted(
    (left, right) => order.indexOf(left.group) - order.indexOf(right.group),
  );
  const merged = { machine, results: all };
  writeFileSync(published, `${JSON.stringify(merged, undefined, 2)}\n`);
  writeFileSync(page, writePage(merged));
}

function readPublished(): Report | undefined {
  try {
    return JSON.parse(readFileSync(published, "utf8")) as Report;
  } catch {
    // Nothing was published yet.
    return undefined;
  }
}
