import { describe } from "vitest";
import { openCommandFixture } from "../../../test/support/journal-scan/command-fixture.ts";
import { testCommandUndo } from "../../../test/undo/command-undo-tests.ts";

describe.each([
  { place: "without git", git: false },
  { place: "in a repository", git: true },
])("$place", ({ git }) => testCommandUndo((files) => openCommandFixture(files, { git })));
