import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openToolcrib } from "../../toolcrib/index.ts";

it("names the dialect's own tools for reading the output of a command that was stopped", async () => {
  await using folder = temporaryFolder();
  const fixture = await openToolcrib({
    workspace: folder.path,
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
    dialect: "anthropic",
    mode: "yolo",
    sandbox: "none",
  });
  try {
    const input = { command: "yes | head -c 3000000; sleep 300", timeout_ms: 3_000 };
    const { error, content, output } = await fixture.call("shell", input);
    expect([error?.code, content.split("\n").at(-1)]).toEqual([
      "timeout",
      `[The whole output is stored as ${output}; pass it as a path to read_file or grep.]`,
    ]);
  } finally {
    await fixture.close();
  }
});
