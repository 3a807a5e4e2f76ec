/** @module-tag slow */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openToolcrib } from "../../toolcrib/index.ts";
import { runCommand } from "./commands.ts";

describe("a command that may take longer than one call", () => {
  it.each([
    ["echo begun; sleep 0.5; echo done; exit 3", 1, { exitCode: 3, code: undefined, said: "done" }],
    ["echo begun; sleep 1000", 0.03, { exitCode: null, code: "timeout", said: "begun" }],
  ])("runs to its end or its time limit: %s", async (command, minutes, expected) => {
    await using folder = temporaryFolder();
    const workspace = join(folder.path, "workspace");
    mkdirSync(workspace);
    const toolcrib = await openToolcrib({
      ...{
        workspace,
        stateDirectory: join(folder.path, "state"),
        configDirectory: join(folder.path, "config"),
      },
      mode: "yolo",
    });
    try {
      const { signal } = new AbortController();
      const { exitCode, output, error } = await runCommand({ toolcrib }, { command, minutes }, signal, 100);
      expect([error?.code, output.includes(expected.said)]).toEqual([expected.code, true]);
      if (expected.exitCode !== null) expect(exitCode).toBe(expected.exitCode);
    } finally {
      await toolcrib.close();
    }
  });
});
