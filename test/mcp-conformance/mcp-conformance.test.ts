import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { conformancePage, conformanceReport, withReport } from "./report.ts";

it("passes all of the official suite that applies, as docs/mcp-conformance.md tells", async () => {
  const page = readFileSync(conformancePage, "utf8");
  expect(withReport(page, await conformanceReport())).toBe(page);
}, 300_000);
