import { expect, it } from "vitest";
import { tooOld } from "./examine-installation.ts";

const git = { name: "git", oldest: { version: [2, 31], lost: "some git tools fail" } } as const;

it("complains only about versions that are known to be too old", () => {
  const versions = ["1.99.1", "2.30.9", "2.31", "2.39.5", "3.0.0", "(unknown version)", undefined];
  expect(versions.map((version) => tooOld(git, version).map(({ message }) => message))).toEqual([
    ["git 1.99.1 is old: some git tools fail"],
    ["git 2.30.9 is old: some git tools fail"],
    [],
    [],
    [],
    [],
    [],
  ]);
  expect(tooOld({ name: "git" }, "1.0")).toEqual([]);
});
