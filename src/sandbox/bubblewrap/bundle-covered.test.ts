import { expect, it } from "vitest";
import { bundleCovered } from "./bundle-covered.ts";
import type { Covered } from "./entries-below.ts";

const nothing: Covered = { hidden: [], readOnly: [], repositories: [], unnameable: [], isWhole: true };

function many(directory: string): string[] {
  return [...Array(2001).keys()].map((number) => `${directory}/${number}.pem`);
}

it("covers a directory as a whole that holds very many secrets or protected files", () => {
  const hidden = many("/work/keys").map((path) => ({ path, kind: "file" }) as const);
  expect(bundleCovered({ ...nothing, hidden, readOnly: many("/work/fixed") }, "/work")).toEqual({
    hidden: [{ path: "/work/keys", kind: "directory" }],
    readOnly: ["/work/fixed"],
    remarks: [
      "/work/keys holds so many secrets that commands see nothing of it.",
      "/work/fixed holds so many protected files that commands write nothing in it.",
    ],
  });
});

it("has nothing run rather than some of them uncovered", () => {
  const hidden = many("/work").map((path) => ({ path, kind: "file" }) as const);
  const tooMany = /^Too many (?:secrets|protected files|directories) are in/;
  expect(() => bundleCovered({ ...nothing, hidden }, "/work")).toThrow(tooMany);
  expect(() => bundleCovered({ ...nothing, readOnly: many("/work") }, "/work")).toThrow(tooMany);
  expect(() => bundleCovered({ ...nothing, isWhole: false }, "/work")).toThrow(tooMany);
});
