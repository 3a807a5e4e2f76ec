import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { missingHere, openSandboxRoom } from "../../../test/sandbox-room.ts";
import { openShells } from "./open-shells.ts";

const missing = await missingHere("landlock");

describe.skipIf(missing !== undefined)("a session under Landlock", () => {
  it("puts protected files back after each command, and says so in its answer", async () => {
    await using room = openSandboxRoom("landlock");
    execFileSync("git", ["init", "-q"], { cwd: room.workspace });
    const hooks = join(room.workspace, ".git/hooks");
    rmSync(hooks, { recursive: true, force: true });
    room.put(".git/hooks/own", "mine");
    const shells = openShells({ tmux: "never" });
    const run = async (command: string) => {
      const { signal } = new AbortController();
      const running = await shells
        .forCall({ environment: room.environment })
        .run("main", { command, signal });
      const { code, remarks } = await running.exit;
      return { code, isTold: remarks.some((remark) => remark.includes(".git/hooks")) };
    };
    const spoil = "echo evil > .git/hooks/own; echo evil > .git/hooks/pre-commit";
    try {
      for (const command of [spoil, spoil])
        expect([
          await run(command),
          readdirSync(hooks),
          readFileSync(join(hooks, "own"), "utf8"),
          await run("true"),
        ]).toEqual([{ code: 0, isTold: true }, ["own"], "mine", { code: 0, isTold: false }]);
    } finally {
      await shells.close();
    }
  });
});
