import { readdirSync, readlinkSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as next } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { attempt } from "../../system/attempt.ts";
import { workspaceFiles } from "../../system/directories.ts";
import { openToolcrib } from "../../toolcrib/index.ts";
import { Workspaces } from "./workspaces.ts";

describe.runIf(process.platform === "linux")("Workspaces", () => {
  it("keeps a journal open while work uses it, also when the console ends, and closes it then", async () => {
    await using fixture = await recordedWorkspace();
    const { workspaces, id } = fixture;
    const { promise, resolve } = Promise.withResolvers<void>();
    const work = workspaces.read(id, async (journal) => {
      await promise;
      return journal.lastSequence();
    });
    workspaces.close();
    expect(() => workspaces.read(id, () => {})).toThrow("The console has ended.");
    resolve();
    expect(await work).toBeGreaterThan(0);
    await next();
    expect(fixture.openFiles()).toEqual([]);
  });

  it("closes the journal of a workspace whose state was deleted", async () => {
    await using fixture = await recordedWorkspace();
    const { workspaces, id, journal } = fixture;
    workspaces.read(id, (journal) => journal.lastSequence());
    expect(fixture.openFiles()).not.toEqual([]);
    rmSync(dirname(journal), { recursive: true });
    expect(workspaces.ids()).toEqual([]);
    expect(fixture.openFiles()).toEqual([]);
  });
});

async function recordedWorkspace() {
  const folder = temporaryFolder();
  const state = join(folder.path, "state");
  const crib = await openToolcrib({
    workspace: folder.path,
    stateDirectory: state,
    configDirectory: join(folder.path, "config"),
  });
  await crib.call("file.write", { path: "a.txt", content: "a" });
  await crib.close();
  const workspaces = new Workspaces(state);
  return {
    workspaces,
    id: workspaces.ids()[0]!,
    journal: workspaceFiles(state, crib.workspace).journal,
    /** The files of the state folder that this process has open, deleted ones too. */
    openFiles: () =>
      readdirSync("/proc/self/fd")
        .flatMap((handle) => attempt(() => readlinkSync(`/proc/self/fd/${handle}`)) ?? [])
        .filter((path) => path.startsWith(state)),
    [Symbol.asyncDispose]: async () => {
      workspaces.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
