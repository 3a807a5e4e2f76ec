import { expect, it } from "vitest";
import type { PathGuard } from "../../contract/guard.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";
import { refusedBelow } from "./refused-below.ts";

const guard: PathGuard = (use, path) =>
  use === "read" && path.endsWith("/.env") ? { reason: "may hold secrets", rule: "secret .env" } : undefined;

it("tells something below each directory that must not be read", async () => {
  const environment = new MemoryEnvironment({
    files: { "a/b/c/.env": "x", "a/d.ts": "x", "e/f.ts": "x", "g.ts": "x" },
  });
  const found = await refusedBelow(["a", "e", ".", "g.ts", "gone", "../outside"], environment, guard);
  const secret = `${environment.workspace}/a/b/c/.env`;
  expect([...found]).toEqual([
    ["a", secret],
    ["e", undefined],
    [".", secret],
    ["g.ts", undefined],
    ["gone", undefined],
  ]);
});

it("leaves out what would take too long to search", async () => {
  const many = Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [`many/${index}`, ""]));
  const environment = new MemoryEnvironment({ files: { ...many, "few/a": "" } });
  expect([...(await refusedBelow(["few", "many"], environment, guard))]).toEqual([["few", undefined]]);
});
