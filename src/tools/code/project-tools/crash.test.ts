/** @module-tag slow */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bundledProgram } from "../../../../test/support/bundled-program.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openToolcrib } from "../../../toolcrib/index.ts";

it("can be undone when it was killed before its check ended", async () => {
  await using folder = temporaryFolder();
  const [workspace, stateDirectory, configDirectory] = ["work space", "state", "config"].map((name) =>
    join(folder.path, name),
  ) as [string, string, string];
  mkdirSync(workspace);
  const file = join(workspace, "a.sh");
  const old = "f() { echo old; }\nf\n";
  writeFileSync(file, old);
  const caller = await bundledProgram(
    new URL("../../../../test/support/code-tools/dies-at-check.ts", import.meta.url),
  );
  const { signal } = spawnSync(process.execPath, [caller, workspace, stateDirectory, configDirectory]);
  const left = readFileSync(file, "utf8");
  const crib = await openToolcrib({ workspace, stateDirectory, configDirectory, undoScope: "workspace" });
  const [killed] = crib.log({ limit: 1 });
  const undone = await crib.call("journal_undo", { call: killed?.callId });
  await crib.close();
  expect({ signal, left, error: undone.error, now: readFileSync(file, "utf8") }).toEqual({
    signal: "SIGKILL",
    left: "f() { echo new; }\nf\n",
    error: null,
    now: old,
  });
});
