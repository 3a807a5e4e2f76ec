import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { bundledProgram } from "../../../test/support/bundled-program.ts";
import { snapshot } from "../../../test/support/environment/change-world.ts";
import { inLanes } from "../../../test/support/in-lanes.ts";
import { repetitions } from "../../../test/support/repetitions.ts";
import { changingScript, newKeepWorld, openKeepFixture } from "../../../test/support/stages/keep-world.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";

const caller = await bundledProgram(new URL("../../../test/support/stages/caller.ts", import.meta.url));
const folder = temporaryFolder();
afterAll(() => folder[Symbol.asyncDispose]());

describe("a killed call", { timeout: 600_000 }, () => {
  it.each([...killedCalls(), changingScript[0]])(
    "can be undone when killed at any step: %s",
    async (name) => {
      const steps = await stepsOf(name);
      const stride = Math.ceil(steps / repetitions(5, 24));
      const found = await inLanes(Math.floor(steps / stride), async (number) => {
        const killAt = number * stride;
        const home = newKeepWorld(folder.path);
        const before = snapshot(join(home, "workspace"));
        await callInterrupted(home, name, { killAt });
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

/** One of each kind. */
function killedCalls(): readonly string[] {
  return [
    "writes over a file",
    "writes a new file in new folders",
    "deletes a folder",
    "moves over a file",
    "moves a folder",
    "patches files",
  ];
}

async function stepsOf(name: string): Promise<number> {
  const outcome = await callInterrupted(newKeepWorld(folder.path), name, {});
  expect(outcome?.error).toBe(null);
  return outcome?.steps ?? 0;
}

async function callInterrupted(
  home: string,
  name: string,
  interference: object,
): Promise<{ readonly steps: number; readonly error: unknown } | undefined> {
  const child = spawn(process.execPath, [caller, home, name, JSON.stringify(interference)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    output += piece;
  });
  await once(child, "close");
  return output === "" ? undefined : JSON.parse(output);
}
