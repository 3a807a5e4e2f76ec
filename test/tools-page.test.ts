import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { toolsPage } from "../scripts/tools-page.ts";
import { missingHere } from "./support/sandbox-fixture.ts";

it.skipIf((await missingHere("bwrap")) !== undefined)(
  "docs/tools.md is what npm run docs writes",
  async () => {
    expect(await toolsPage()).toBe(readFileSync(join(import.meta.dirname, "../docs/tools.md"), "utf8"));
  },
);
