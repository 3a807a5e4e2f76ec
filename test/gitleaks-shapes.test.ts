import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { gitleaksModule } from "../scripts/gitleaks-shapes.ts";

it("src/lib/secrets/gitleaks-shapes.ts matches the output of node scripts/gitleaks-shapes.ts", () => {
  const file = new URL("../src/lib/secrets/gitleaks-shapes.ts", import.meta.url);
  expect(readFileSync(file, "utf8")).toBe(gitleaksModule());
});
