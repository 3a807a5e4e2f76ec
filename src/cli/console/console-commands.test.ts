import { afterEach, expect, it, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { consoleCommands } from "./console-commands.ts";

afterEach(() => void vi.unstubAllEnvs());

it("the console examines the target of a workspace", async () => {
  await using home = temporaryFolder();
  vi.stubEnv("TOOLCRIB_HOME", home.path);
  const { signal } = new AbortController();
  const { findings } = await consoleCommands.examine("command:/missing/program", signal);
  expect(findings).toContainEqual(
    expect.objectContaining({
      ...{ about: "target", state: "problem", message: expect.stringContaining("cannot be started") },
    }),
  );
});
