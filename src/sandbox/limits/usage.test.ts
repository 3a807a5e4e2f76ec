import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { processInfo } from "../../system/process-identity.ts";
import { memoryFileBytes } from "./usage.ts";

const canMount = spawnSync("/usr/bin/unshare", ["-rm", "true"]).status === 0;

if (!canMount) console.warn("SKIPPED: files in memory, because user namespaces cannot be made here");

it.runIf(canMount)("counts files in memory that are mounted after the first measurement", async () => {
  const script = `
    mount -t tmpfs first "$1"; echo mounted; read -r line
    mount -t tmpfs second "$1"; head -c 1000000 /dev/zero > "$1/file"; echo filled; read -r line`;
  const child = spawn("/usr/bin/unshare", ["-rm", "sh", "-c", script, "sh", tmpdir()], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    const bytes = () => memoryFileBytes([processInfo(child.pid!)!], { nameless: false });
    await once(child.stdout, "data");
    expect(bytes()).toBe(0);
    child.stdin.write("\n");
    await once(child.stdout, "data");
    expect(bytes()).toBeGreaterThanOrEqual(1_000_000);
  } finally {
    child.kill("SIGKILL");
  }
});
