import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/** Each runs the real SDK against a provider on this machine, which checks what it is sent. */
it.each(["openai", "openai-chat", "anthropic", "google", "ai-sdk"])(
  "a model works with the tools through %s",
  async (name) => {
    const program = join(import.meta.dirname, "../examples", name, "main.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [program]);
    expect(stdout).toBe("The wood is yellow.\n");
  },
);

it("an agent of one's own works offline", async () => {
  const program = join(import.meta.dirname, "../examples/agent/main.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  expect(stdout).toBe("file.read\nedit.replace\nThe wood is yellow.\nTwo roads diverged in a yellow wood\n");
});
