/** @module-tag slow */
import { it } from "vitest";
import { openCommandFixture } from "../../../../test/support/journal-scan/command-fixture.ts";
import { rounds } from "../../../../test/support/rounds.ts";
import { undoRandomScripts } from "../../../../test/undo/random-scripts.ts";

it.each([false, true])("undoes and redoes random scripts (in a repository: %s)", { tags: "root" }, (git) =>
  undoRandomScripts((files) => openCommandFixture(files, { git }), rounds(3)),
);
