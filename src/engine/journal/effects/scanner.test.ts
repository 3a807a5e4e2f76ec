import { describe } from "vitest";
import { openCommandFixture } from "../../../../test/support/journal-scan/command-fixture.ts";
import { commandNames, testCommandUndo } from "../../../../test/undo/command-undo-tests.ts";

describe("without git", () => testCommandUndo((files) => openCommandFixture(files)));

/** In a repository, git has the contents of unchanged files. Only commands that need these differ. */
const different: typeof commandNames = [
  "removes a tree",
  "edits in place",
  "moves files and directories",
  "hides a change behind the old size and time",
];

for (const names of [different, commandNames.filter((name) => !different.includes(name))]) {
  const tags = names === different ? [] : ["slow"];
  describe("in a repository", { tags }, () =>
    testCommandUndo((files) => openCommandFixture(files, { git: true }), names),
  );
}
