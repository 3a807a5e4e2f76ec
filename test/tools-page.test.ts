/** @module-tag slow */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { toolsPage } from "../scripts/tools-page.ts";
import { missingHere } from "./support/sandbox-fixture.ts";

it.skipIf((await missingHere("bwrap")) !== undefined)(
  "docs/tools.md matches the output of npm run docs",
  async () => {
    const page = readFileSync(join(import.meta.dirname, "../docs/tools.md"), "utf8");
    expect(timeless(await toolsPage())).toBe(timeless(page));
  },
);

/** Leaves out the answers of processes and agents, because their progress depends on the machine. */
function timeless(page: string): string {
  return page.replace(
    /(### (?:process|agent)\.[\s\S]*?\n```json\n.*\n```\n\n```\n)[\s\S]*?(\n```\n)/g,
    "$1$2",
  );
}
