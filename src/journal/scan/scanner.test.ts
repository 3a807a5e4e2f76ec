import { describe } from "vitest";
import { openCommandFixture } from "../../../test/support/journal-scan/command-fixture.ts";
import { testCommandUndo } from "../../../test/undo/command-undo-tests.ts";

describe("without git", () => testCommandUndo((files) => openCommandFixture(files)));

// In a repository, git has the contents of unchanged files. Only commands that need these differ.
describe("in a repository", () =>
  testCommandUndo(
    (files) => openCommandFixture(files, { git: true }),
    [
      "removes a tree",
      "edits in place",
      "moves files and directories",
      "hides a change behind the old size and time",
    ],
  ));
