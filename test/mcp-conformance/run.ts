/**
 * Runs the official conformance suite against our server and our hub, both revisions, and prints what has become of each
 * scenario; with `--write` into docs/mcp-conformance.md.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { conformancePage, conformanceReport, withReport } from "./report.ts";

const report = await conformanceReport();
console.log(report);
if (process.argv.includes("--write"))
  writeFileSync(conformancePage, withReport(readFileSync(conformancePage, "utf8"), report));
if (/\b(?:FAILED|PASSES)\b/.test(report)) process.exitCode = 1;
