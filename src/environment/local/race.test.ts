import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundledProgram } from "../../../test/support/bundled-program.ts";
import { openRace, type Race, type RaceResult } from "../../../test/support/environment/race.ts";
import { racedEnvironments } from "../../../test/support/environment/raced-environments.ts";
import { rounds } from "../../../test/support/rounds.ts";
import { attempt } from "../../system/attempt.ts";

// The boundary is guaranteed only where directories are opened by handle.
const isPromised = process.platform === "linux";

describe.runIf(isPromised)("when a directory is replaced by a link between any two file system calls", () => {
  let results: Readonly<Record<string, Readonly<Record<string, RaceResult>>>>;

  beforeAll(async () => {
    results = await interleave();
  });

  for (const [name, { actions }] of Object.entries(racedEnvironments)) {
    it.each(actions)(`follows no link with ${name}: %s`, (action) => {
      const { escapes, succeeded, refused } = results[name]![action]!;
      expect([escapes, succeeded > 0, refused > 0]).toEqual([0, true, true]);
    });
  }

  it.each(["read", "write"])("detects an implementation that checks by name: %s", (action) => {
    expect(results["checked by name"]![action]!.escapes).toBeGreaterThan(0);
  });
});

// For Node calls that make several system calls: the swap happens between those. An implementation that checks paths by name
// loses at least one try in a hundred here (docs/decisions/0003); bench/ runs a million.
for (const [name, { actions, options }] of Object.entries(racedEnvironments)) {
  describe.runIf(isPromised)("while a process replaces a directory by a link", { tags: "slow" }, () => {
    let race: Race;

    beforeAll(async () => {
      race = await openRace(options);
    });

    afterAll(() => race[Symbol.asyncDispose]());

    it.each(actions)(`follows no link with ${name}: %s`, async (action) => {
      expect(await race.run(action, rounds(10))).toMatchObject({ escapes: 0 });
    });
  });
}

async function interleave(): Promise<Readonly<Record<string, Readonly<Record<string, RaceResult>>>>> {
  const program = await bundledProgram(
    new URL("../../../test/support/environment/interleaver.ts", import.meta.url),
  );
  // In a memory file system if there is one: the thousands of swaps take half the time.
  const folder = isWritable("/dev/shm") ? "/dev/shm" : tmpdir();
  const child = spawn(process.execPath, [program], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TMPDIR: folder },
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    output += piece;
  });
  await once(child, "close");
  return JSON.parse(output);
}

function isWritable(folder: string): boolean {
  return attempt(() => accessSync(folder, constants.W_OK) ?? true) ?? false;
}
