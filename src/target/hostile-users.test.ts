import { chownSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { isAlive } from "../../test/support/is-alive.ts";
import { type CommandTarget, commandTarget } from "../../test/support/remote/command-target.ts";
import { EchoClient } from "../../test/support/remote/echo-client.ts";
import { targetProgramsWith } from "../../test/support/remote/target-programs.ts";
import { connectTarget } from "../environment/remote/connect-target.ts";
import type { TargetPrograms } from "../environment/remote/target-programs.ts";

// Other users and other programs of the target.

let programs: TargetPrograms;
beforeAll(async () => {
  programs = await targetProgramsWith(new URL("../../test/support/remote/echo-server.ts", import.meta.url));
});

const temporary = (there: CommandTarget) => join(there.home, "tmp", `toolcrib-${process.getuid!()}`);

async function openEcho({ target, workspace: directory }: CommandTarget): Promise<EchoClient> {
  return new EchoClient(await connectTarget(target, { programs, directory }));
}

async function closes(client: EchoClient): Promise<void> {
  expect(await client.ask("a")).toBe("a");
  await client.channel.close();
}

it.each(process.getuid!() === 0 ? ["link", "owner"] : ["link"])(
  "does not run a Node that another user has put into the temporary directory (%s)",
  { tags: ["root"] },
  async (kind) => {
    await using there = commandTarget('export TMPDIR="$HOME/tmp" PATH=/usr/bin:/bin; unset SHELL');
    const elsewhere = join(there.home, "elsewhere");
    const folder = kind === "link" ? elsewhere : temporary(there);
    mkdirSync(join(there.home, "tmp"));
    mkdirSync(join(folder, "node"), { recursive: true });
    writeFileSync(join(folder, "node/evil"), `#!/bin/sh\ntouch "$HOME/ran"\necho v99.0.0\n`, { mode: 0o755 });
    if (kind === "link") symlinkSync(elsewhere, temporary(there));
    else chownSync(folder, 65_534, 65_534);
    // No other Node is found.
    const bootstrap = programs.bootstrap
      .replace("for name in node nodejs", "for name in no-node")
      .replace(/^ *\/usr\/local\/bin\/node .*; do$/m, "; do");
    const connected = connectTarget(there.target, { programs: { ...programs, bootstrap } });
    await expect(connected).rejects.toMatchObject({ details: { kind: "missing-program" } });
    expect(existsSync(join(there.home, "ran"))).toBe(false);
  },
);

it("uses the temporary directory instead of a link in the cache, and refuses links there", {
  tags: "slow",
}, async () => {
  await using there = commandTarget('export TMPDIR="$HOME/tmp"');
  const elsewhere = join(there.home, "elsewhere");
  for (const path of [elsewhere, join(there.folder, ".."), join(there.home, "tmp")])
    mkdirSync(path, { recursive: true, mode: 0o700 });
  symlinkSync(elsewhere, there.folder);
  await closes(await openEcho(there));
  expect(readdirSync(temporary(there))).toContain("servers");
  // The server removes its folder when it ends.
  await expect.poll(() => readdirSync(join(temporary(there), "sessions"))).toEqual([]);
  rmSync(temporary(there), { recursive: true });
  symlinkSync(elsewhere, temporary(there));
  await expect(openEcho(there)).rejects.toThrow(/: Other users can enter .*, or it is a link$/);
  expect(readdirSync(elsewhere)).toEqual([]);
});

it("runs the server that was checked, also when its file is replaced after the check", {
  tags: "slow",
}, async () => {
  await using there = commandTarget('export SHELL="$HOME/shell"');
  await closes(await openEcho(there));
  // The login shell runs between the check and the start.
  const replace =
    'for file in "$HOME"/.cache/toolcrib/remote/servers/*; do echo "process.exit(9)" > "$file"; done';
  writeFileSync(
    join(there.home, "shell"),
    `#!/bin/sh\n${replace}\ntouch "$HOME/replaced"\nexec /bin/sh "$@"\n`,
    {
      mode: 0o755,
    },
  );
  await closes(await openEcho(there));
  expect(existsSync(join(there.home, "replaced"))).toBe(true);
});

it("keeps its processes when its record cannot be written", { tags: "slow" }, async () => {
  await using there = commandTarget();
  const client = await openEcho(there);
  const [session = ""] = readdirSync(join(there.folder, "sessions"));
  const record = join(there.folder, "sessions", session, "record.json");
  rmSync(record);
  mkdirSync(join(record, "in the way"), { recursive: true });
  const child = Number(await client.ask("start"));
  expect(isAlive(child)).toBe(true);
  process.kill(child, "SIGKILL");
  await expect.poll(() => isAlive(child)).toBe(false);
  await closes(client);
});
