import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findVisible } from "../../engine/sandbox/visible.ts";
import { openPrivateDirectories } from "../private-directories.ts";
import { LandlockSandbox } from "./landlock-sandbox.ts";
import { Tripwire } from "./tripwire/tripwire.ts";

// The tripwire pins directories by /proc.
it.runIf(process.platform === "linux")("stops watching when the launch cannot be planned", async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolcrib-landlock-")));
  const [workspace, directory] = [join(base, "workspace"), join(base, "state")];
  mkdirSync(workspace);
  const watches = join(directory, "tripwire/runs");
  const sandbox = new LandlockSandbox({
    ...{
      workspace,
      directory,
      perl: "/usr/bin/perl",
      architecture: "x64",
      version: 4,
      visible: findVisible({}),
    },
    privates: openPrivateDirectories(directory),
    tripwire: new Tripwire({ workspace, directory }),
  });
  const launch = { file: "/bin/true", args: [], cwd: workspace, confinement: {}, reachable: false };
  try {
    const running = await sandbox.prepare({ ...launch, env: {} });
    expect(readdirSync(watches).length).toBe(1);
    await running.finished();
    const env = { BROKEN: undefined as unknown as string };
    await expect(sandbox.prepare({ ...launch, env })).rejects.toThrow(TypeError);
    expect(readdirSync(watches)).toEqual([]);
  } finally {
    await sandbox.close();
    rmSync(base, { recursive: true });
  }
});
