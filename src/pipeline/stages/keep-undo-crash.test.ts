/** @module-tag slow */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundledProgram } from "../../../test/support/bundled-program.ts";
import { snapshot } from "../../../test/support/environment/change-world.ts";
import { inLanes } from "../../../test/support/in-lanes.ts";
import { rounds } from "../../../test/support/rounds.ts";
import { changingScript, newKeepWorld, openKeepFixture } from "../../../test/support/stages/keep-world.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";

const caller = await bundledProgram(new URL("../../../test/support/stages/caller.ts", import.meta.url));
const folder = temporaryFolder();
afterAll(() => folder[Symbol.asyncDispose]());

/** One of each kind. */
const names = [
  "writes over a file",
  "writes a new file in new folders",
  "deletes a folder",
  "moves over a file",
  "moves a folder",
  "patches files",
  changingScript[0],
];

describe("a killed call", () => {
  let steps: readonly number[] = [];
  beforeAll(async () => {
    steps = JSON.parse(await runCaller(newKeepWorld(folder.path), names.join("\n"))) as readonly number[];
  });

  it.each(names.map((name, at) => [name, at] as const))(
    "can be undone when killed at any step: %s",
    async (name, at) => {
      const count = rounds(2);
      const found = await inLanes(count, async (number) => {
        // The calls are killed at different parts of their work.
        const part = (number - 1 + (at + 1) / names.length) / count;
        const killAt = Math.ceil(part * steps[at]!);
        const home = newKeepWorld(folder.path);
        const before = snapshot(join(home, "workspace"));
        expect([killAt, await runCaller(home, name, String(killAt))]).toEqual([killAt, ""]);
        const crib = await openKeepFixture(home);
        // Records of the recovery at start come above it. A script without changes may have no record.
        const isKilled = ({ tool }: { readonly tool: string }) =>
          name === changingScript[0] ? tool === changingScript[1] : tool !== "environment.recover";
        const callId = crib.log({ limit: 10 }).find(isKilled)?.callId ?? "call_0";
        const undone = await crib.call("journal.undo", { call: callId });
        await crib.close();
        const now = snapshot(join(home, "workspace"));
        rmSync(home, { recursive: true });
        return { killAt, outcome: undone.isError ? undone.error?.code : "ok", before, now };
      });
      for (const { killAt, outcome, before, now } of found) {
        expect([killAt, now]).toEqual([killAt, before]);
        expect([killAt, outcome]).toEqual([killAt, outcome === "not-found" ? "not-found" : "ok"]);
      }
    },
  );
});

/** Returns the output, which is empty if the program was killed. */
async function runCaller(home: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [caller, home, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const output = text(child.stdout);
  await once(child, "close");
  return output;
}
