/** @module-tag slow */
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { bundledProgram } from "../../test/support/bundled-program.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { openToolcrib } from "../toolcrib/index.ts";

it.runIf(existsSync("/proc/self/environ")).each(["none", "auto"] as const)(
  "ends the processes of a killed instance when the next one opens (sandbox %s)",
  async (sandbox) => {
    await using folder = temporaryFolder();
    const home = folder.path;
    mkdirSync(join(home, "workspace"));
    const fixture = fork(
      await bundledProgram(new URL("../../test/support/processes/leaver.ts", import.meta.url)),
      [home, sandbox],
      {
        stdio: "ignore",
      },
    );
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
  },
);

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
