import { expect, it } from "vitest";
import { examineDescriptors, tooOld } from "./examine-installation.ts";

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

it("warns when few files can be open at once", () => {
  const limits = (count: string) =>
    `Limit  Soft Limit  Hard Limit  Units\nMax open files            ${count}  files\n`;
  expect(examineDescriptors(limits("256   256"))).toEqual([
    {
      about: "open files",
      state: "note",
      message: "only 256 files can be open at once: calls fail under load",
      hint: "Raise the limit before you start Toolcrib: ulimit -n 4096",
    },
  ]);
  expect(["4096  4096", "unlimited unlimited"].flatMap((count) => examineDescriptors(limits(count)))).toEqual(
    [],
  );
});
