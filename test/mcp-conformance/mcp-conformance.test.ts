/** @module-tag slow */
import { readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { conformancePage, conformanceReport, withReport } from "./report.ts";

it("passes every applicable test of the official suite, as docs/mcp-conformance.md states", async () => {
  // The SDK warns of the bad tools that the suite offers.
  using _warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const page = readFileSync(conformancePage, "utf8");
  expect(withReport(page, await conformanceReport())).toBe(page);
});
