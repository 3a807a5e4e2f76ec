/** @module-tag slow */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { workspaceFiles } from "../system/directories.ts";
import { openToolcrib } from "./index.ts";

const crasher = fileURLToPath(new URL("../../test/support/landlock/crash-in-between.ts", import.meta.url));

it.skipIf(process.platform !== "linux")(
  "an instance without a sandbox restores what commands left in one that was killed",
  async () => {
    await using folder = temporaryFolder();
    const [workspace, state] = [join(folder.path, "work"), join(folder.path, "state")];
    mkdirSync(workspace);
    execFileSync("git", ["init", "-q"], { cwd: workspace });
    mkdirSync(join(workspace, ".git/hooks"), { recursive: true });
    const { sandbox } = workspaceFiles(state, workspace);
    const child = spawn(process.execPath, [crasher, workspace, sandbox], { stdio: "ignore" });
    await once(child, "exit");
    const hook = join(workspace, ".git/hooks/pre-commit");
    const before = existsSync(hook);
    const toolcrib = await openToolcrib({
      workspace,
      sandbox: "none",
      stateDirectory: state,
      configDirectory: join(folder.path, "config"),
    });
    await toolcrib.close();
    expect([before, existsSync(hook), readdirSync(workspace)]).toEqual([true, false, [".git"]]);
    const warnings = toolcrib.warnings.join("\n");
    expect(warnings).toContain(".git/hooks/pre-commit (made)");
    expect(warnings).toMatch(/After a crash: Held back, .*: \.envrc \(\w{6}\)/);
  },
);
