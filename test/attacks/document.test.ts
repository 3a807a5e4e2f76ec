import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { attacks } from "../../src/sandbox/proof/attacks.ts";

it("the document lists every promise with the levels that keep it", () => {
  const text = readFileSync(join(import.meta.dirname, "../../docs/sandbox/levels.md"), "utf8");
  const table = /^\| \| bwrap \| landlock \| none \|\n\|.*\n((?:\|.*\n)*)/m.exec(text)![1]!;
  const rows = table
    .trimEnd()
    .split("\n")
    .map((row) => row.slice(2, -2).split(" | "));
  const shown = rows.map(([promise, bwrap, , none]) => ({
    promise,
    // What is held back is gone when the command has ended.
    isPromised: ["yes", "held back"].includes(bwrap!),
    isAlwaysPromised: none === "yes",
  }));
  expect(shown).toEqual(
    attacks.map(({ promise, isAlwaysPromised = false }) => ({ promise, isPromised: true, isAlwaysPromised })),
  );
});
