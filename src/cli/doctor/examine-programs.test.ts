import type { StatsFs } from "node:fs";
import { expect, it } from "vitest";
import { asOrdinaryUser } from "../../../test/support/as-ordinary-user.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { examineDescriptors, examineDisk, tooOld } from "./examine-installation.ts";

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

it("finds a problem when the disk is full, and only a note when it is nearly full", () => {
  const budget = { maxBytes: 2 ** 30, maxDays: 30 };
  const found = (blocks: number) => examineDisk("/", budget, { bavail: blocks, bsize: 4096 } as StatsFs);
  expect([0, 1_000, 2 ** 20].map((blocks) => found(blocks).state)).toEqual(["wrong", "note", "well"]);
});

it("finds a problem when the state folder is read-only or cannot be created", {
  tags: ["root", "slow"],
}, async () => {
  await using folder = temporaryFolder();
  const program = new URL("../../../test/support/unwritable-state.ts", import.meta.url);
  const home = `${folder.path}/home`;
  expect(await asOrdinaryUser(program, folder.path)).toEqual({
    missing: {
      about: "state",
      state: "wrong",
      message: `${home}/state cannot be created: ${home} is not writable`,
      hint: `Make it writable, chmod u+rwx '${home}', or set TOOLCRIB_HOME to a writable folder.`,
    },
    readOnly: {
      about: "state",
      state: "wrong",
      message: `${home}/state is not writable`,
      hint: `Fix its permissions: chmod u+rwx '${home}/state'`,
    },
  });
});
