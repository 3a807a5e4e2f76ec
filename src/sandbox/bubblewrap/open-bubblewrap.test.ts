import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { programUnavailable } from "../../system/file-errors.ts";
import type { OpenedSandbox, Sandbox } from "../sandbox.ts";
import { openBubblewrap } from "./open-bubblewrap.ts";

/** The report about a fake bubblewrap that runs `script`. */
async function openedWith(folder: string, script: string | undefined): Promise<unknown> {
  const preferred = join(folder, "bwrap");
  if (script !== undefined) writeFileSync(preferred, `#!/bin/sh\n${script}\n`);
  if (script !== undefined) chmodSync(preferred, 0o755);
  return openBubblewrap({
    ...{ workspace: folder, directory: join(folder, "state"), preferred },
    findProgram: async (name) => {
      throw programUnavailable(name);
    },
  });
}

const isLinux = process.platform === "linux";

it.runIf(isLinux)("reports that bubblewrap is not installed", async () => {
  await using folder = temporaryFolder();
  expect(await openedWith(folder.path, undefined)).toEqual({
    missing:
      "bwrap: bubblewrap is not installed. Install it: `apt install bubblewrap`, `dnf install bubblewrap`, `apk add bubblewrap`.",
  });
});

it.runIf(isLinux)("reports that bubblewrap is too old, and leaves nothing behind", async () => {
  await using folder = temporaryFolder();
  const opened = await openedWith(folder.path, "echo 'bwrap: Unknown option --perms' >&2; exit 1");
  expect([opened, readdirSync(join(folder.path, "state", "sessions"))]).toEqual([
    {
      missing: `bwrap: ${join(folder.path, "bwrap")} is too old (bwrap: Unknown option --perms). Version 0.5 or later is needed.`,
    },
    [],
  ]);
});

it.runIf(isLinux)("reports that bubblewrap may not create namespaces", async () => {
  await using folder = temporaryFolder();
  const message = "bwrap: No permissions to create new namespace";
  const { missing } = (await openedWith(folder.path, `echo '${message}' >&2; exit 1`)) as { missing: string };
  expect([missing.startsWith("bwrap: "), missing.endsWith(`(${message})`)]).toEqual([true, true]);
});

it.runIf(isLinux)("names the option of a container that hides parts of /proc", async () => {
  await using folder = temporaryFolder();
  const message = "bwrap: Cannot mount proc on /newroot/proc: Operation not permitted";
  expect(await openedWith(folder.path, `echo '${message}' >&2; exit 1`)).toEqual({
    missing: `bwrap: The container hides parts of /proc: run it with \`--security-opt unmask=/proc/*\` (podman) or \`--security-opt systempaths=unconfined\` (docker). (${message})`,
  });
});

it.runIf(isLinux)("does not mistake the success of another program for a sandbox", async () => {
  await using folder = temporaryFolder();
  expect(await openedWith(folder.path, "exit 0")).toEqual({
    missing: `bwrap: ${join(folder.path, "bwrap")} does not work here: it ended with 0.`,
  });
});

it.runIf(isLinux)("reports that bubblewrap cannot be started", async () => {
  await using folder = temporaryFolder();
  const preferred = join(folder.path, "bwrap");
  writeFileSync(preferred, "#!/bin/sh\n", { mode: 0o644 });
  expect(await openedWith(folder.path, undefined)).toEqual({
    missing: `bwrap: ${preferred} does not work here: spawn ${preferred} EACCES`,
  });
});

const real = "/usr/bin/bwrap";

it.runIf(isLinux && existsSync(real))(
  "tests a program once, and again when it was replaced",
  async ({ skip }) => {
    await using folder = temporaryFolder();
    const log = join(folder.path, "log");
    const script = `echo run >> '${log}'; exec ${real} "$@"`;
    const opened = (await openedWith(folder.path, script)) as OpenedSandbox;
    if ("missing" in opened) return skip(opened.missing);
    const runs = () => readFileSync(log, "utf8").split("\n").length - 1;
    const first = runs();
    const again = [await openedWith(folder.path, undefined), await openedWith(folder.path, undefined)];
    const later = runs();
    rmSync(join(folder.path, "bwrap"));
    const replaced = await openedWith(folder.path, script);
    expect([later, runs()]).toEqual([first, 2 * first]);
    for (const sandbox of [opened, ...again, replaced] as Sandbox[]) await sandbox.close();
  },
);
