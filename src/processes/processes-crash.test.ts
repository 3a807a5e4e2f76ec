import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { bundledProgram } from "../../test/support/bundled-program.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { openToolcrib } from "../toolcrib/index.ts";

describe.runIf(existsSync("/proc/self/environ"))("the next instance", () => {
  it("ends the processes of a killed one in a sandbox", () => killAndOpen("auto"));

  // They ignore SIGTERM.
  it("ends the processes of a killed one without a sandbox", { tags: "slow" }, () => killAndOpen("none"));
});

async function killAndOpen(sandbox: "auto" | "none"): Promise<void> {
  await using folder = temporaryFolder();
  const home = folder.path;
  mkdirSync(join(home, "workspace"));
  const program = await bundledProgram(new URL("../../test/support/processes/leaver.ts", import.meta.url));
  const fixture = fork(program, [home, sandbox], { stdio: "ignore" });
  const [message] = await once(fixture, "message");
  const before = speaking(home);
  fixture.kill("SIGKILL");
  await once(fixture, "exit");

  const crib = await openToolcrib({
    workspace: join(home, "workspace"),
    stateDirectory: join(home, "state"),
    configDirectory: join(home, "config"),
  });
  await crib.close();
  // In a sandbox with its own process ids, processes end by themselves after a moment.
  while (speaking(home).length > 0) await setTimeout(20);
  expect([message, before.length > 0, speaking(home)]).toEqual(["up", true, []]);
}

/** The processes whose command names the folder. */
function speaking(home: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((pid) => commandLineOf(pid).includes(`# ${home}`));
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
