import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { EntryState } from "../../src/contract/history.ts";
import { openLocalEnvironment } from "../../src/environment/local/local-environment.ts";
import { connectTarget } from "../../src/environment/remote/connect-target.ts";
import { openRemoteEnvironment } from "../../src/environment/remote/remote-environment.ts";
import { parseTarget } from "../../src/environment/remote/target.ts";
import { overrideEnvironment } from "../../src/lib/override-environment.ts";
import { openToolcrib, type Toolcrib } from "../../src/toolcrib/index.ts";
import type { RealTarget } from "../support/remote/real-targets.ts";
import { targetProgramsWith } from "../support/remote/target-programs.ts";
import { wholeOf } from "../support/undo/undo-fixture.ts";

const patch =
  "*** Begin Patch\n*** Update File: a\n-one\n+1\n*** Delete File: d/b\n*** Add File: new/deep/c\n+new\n*** End Patch";

/** Registers the test of an undo whose server on the target is killed after each of these times. */
export function testUndoAfterKill(target: () => RealTarget, times: readonly number[]): void {
  it.each(times)(
    "leaves every file whole when the server is killed after %d s, and completes it",
    { tags: "slow" },
    async (seconds) => {
      const world = await openKilledWorld(target());
      try {
        const filesNow = async () => filesOf(await world.look());
        const before = await filesNow();
        await world.use(({ call }) => call("edit.patch", { patch }));
        const after = await filesNow();
        await world.use(async ({ call, killServer }) => {
          await killServer(seconds);
          // It may be done before.
          await call("journal.undo", {}).catch(() => {});
        });
        await world.use(async ({ call }) => {
          expect([before, after]).toContain(await filesNow());
          if ((await filesNow()) !== before) await call("journal.undo", {});
        });
        expect(await filesNow()).toBe(before);
      } finally {
        await world.close();
      }
    },
  );
}

type Whole = Readonly<Record<string, EntryState>>;

/** Created folders appear and disappear independently. */
function filesOf(whole: Whole): string {
  return JSON.stringify(Object.entries(whole).filter(([, { kind }]) => kind !== "directory"));
}

interface Using {
  readonly crib: Toolcrib;
  /** Makes a call that has to succeed. */
  call(tool: string, input: object): Promise<void>;
  /** Lets a command on the target kill the server after this time. */
  killServer(seconds: number): Promise<void>;
}

/** A workspace on a target that is opened again and again, with the same journal. */
export async function openKilledWorld({ name, env, folder, here }: RealTarget) {
  const state = mkdtempSync(join(tmpdir(), "toolcrib undo "));
  const workspace = mkdtempSync(join(here, "killed-"));
  mkdirSync(join(workspace, "d"));
  const elsewhere = openLocalEnvironment({ workspace });
  await elsewhere.writeFile("a", Buffer.from("one\n"));
  await elsewhere.writeFile("d/b", Buffer.from("two\n"));
  const programs = await targetProgramsWith();
  const there = parseTarget(`${name}:${workspace.replace(here, folder)}`);
  const use = async (work: (using: Using) => Promise<void>): Promise<void> => {
    const channel = await connectTarget(there, { env, sandbox: "none", programs });
    const remote = await openRemoteEnvironment(channel);
    const crib = await openToolcrib({
      environment: overrideEnvironment(remote, { name: "target" }),
      ...{ stateDirectory: state, configDirectory: join(state, "config") },
      ...{ mode: "yolo", sandbox: "none", undoScope: "workspace" },
    });
    try {
      await work({
        crib,
        call: async (tool, input) => {
          const { isError, content } = await crib.call(tool, input);
          if (isError) throw new Error(content);
        },
        killServer: async (seconds) => {
          // The parent of a command is the server.
          const line = `server=$PPID; { sleep ${seconds}; kill -9 $server; } > /dev/null 2>&1 &`;
          const { signal } = new AbortController();
          // It may kill the server before the server answers.
          const killer = await remote
            .start("sh", { args: ["-c", line], confinement: "ours", signal })
            .catch(() => undefined);
          void killer?.exit.catch(() => {});
        },
      });
    } finally {
      await crib.close();
      await remote.close().catch(() => {});
    }
  };
  return {
    use,
    look: () => wholeOf(elsewhere),
    close: async () => {
      await elsewhere.close();
      rmSync(state, { recursive: true, force: true });
    },
  };
}
