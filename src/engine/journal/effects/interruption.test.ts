/** @module-tag slow */
import { fork } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { bundledProgram } from "../../../../test/support/bundled-program.ts";
import { openCommandFixture, treeOf } from "../../../../test/support/journal-scan/command-fixture.ts";
import { testCommandRaces } from "../../../../test/undo/undo-races.ts";
import type { CallRecord } from "../../../toolcrib/index.ts";

const files = { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" };

it("lets the next process complete the scan of a killed one", async () => {
  await using fixture = await openCommandFixture(files, { git: true });
  const before = treeOf(fixture.workspace);
  const child = fork(
    await bundledProgram(new URL("../../../../test/support/journal-scan/run-and-wait.ts", import.meta.url)),
    [fixture.home],
    {
      execArgv: ["--disable-warning=ExperimentalWarning"],
    },
  );
  await once(child, "message");
  child.kill("SIGKILL");
  await once(child, "exit");
  const after = treeOf(fixture.workspace);
  expect(after).toEqual({ "b.txt": 'file 644 "new\\n"', "c.txt": 'file 644 "c\\n"', ready: 'file 644 ""' });

  await fixture.bash("printf own > own.txt");
  const killed = fixture.crib.log().find(({ outcome }) => outcome === null) as CallRecord;
  expect(killed.files).toEqual({ created: 1, changed: 1, removed: 1 });
  await fixture.undo({ callId: killed.callId } as never);
  expect(treeOf(fixture.workspace)).toEqual({ ...before, "own.txt": 'file 644 "own"' });
});

describe("concurrent calls", () => testCommandRaces(openCommandFixture));
