import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testOtherConformance, testSomeConformance } from "../../src/environment/conformance/conformance.ts";
import { putFiles } from "../../src/environment/conformance/local-world.ts";
import { openTargetWorld } from "../../src/environment/conformance/target-world.ts";
import type { OpenWorld } from "../../src/environment/conformance/world.ts";
import { testKilledCalls } from "../journal/killed-calls.ts";
import { testEditScenarios } from "../scenarios/edit-scenarios.ts";
import { builtProgram } from "../support/built-program.ts";
import { bundledProgram } from "../support/bundled-program.ts";
import { openCommandFixture } from "../support/journal-scan/command-fixture.ts";
import { killedWorkspace } from "../support/killed-workspace.ts";
import { describeTarget } from "../support/remote/real-targets.ts";
import { sshMissing } from "../support/remote/ssh-server.ts";
import { openTargetWorkspace, type TargetWorkspace } from "../support/remote/target-workspace.ts";
import { rounds } from "../support/rounds.ts";
import { fill, openKeepFixture } from "../support/stages/keep-world.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { openUndoFixture } from "../support/undo/undo-fixture.ts";
import { testKilledTransactions } from "../transactions/killed-transactions.ts";
import {
  testTransactionsOfKilledClient,
  testTransactionsOfKilledServer,
} from "../transactions/transactions-after-kill.ts";
import { testCallUndo } from "../undo/call-undo-tests.ts";
import { testCommandUndo } from "../undo/command-undo-tests.ts";
import { undoRandomScripts } from "../undo/random-scripts.ts";
import { testUndoAfterKill } from "../undo/undo-after-kill.ts";
import { propertyFiles, testUndoProperties } from "../undo/undo-properties.ts";
import { testCommandRaces, testUndoRaces } from "../undo/undo-races.ts";
import { testUndo } from "../undo/undo-tests.ts";

// What holds on this machine also holds on real targets: Debian's ssh server, and a container of podman and runc.

let programs: { readonly transactions: string; readonly calls: string };
beforeAll(async () => {
  // The programs send those of the build to the target.
  expect(builtProgram).not.toBe("");
  const bundled = (file: string) => bundledProgram(new URL(`../support/${file}`, import.meta.url));
  programs = {
    transactions: await bundled("transactions/worker.ts"),
    calls: await bundled("journal/caller.ts"),
  };
});

/**
 * Both kinds of target run the same server. One of them shows undo and killed servers, and the other what differs: how
 * the server is reached, and what happens there when the client is killed.
 */
const forAll = sshMissing === undefined ? "ssh" : "podman";
const killedAfter = { undo: [0.005, 0.02], transaction: [0, 0.02, 0.1] };

/** The others are tested on this machine, through the same code. */
const commandsOnTargets = [
  ...["changes entry types", "replaces a directory with a link to outside"],
  ...["hides a change behind the old size and time", "works on odd names", "writes binary"],
] as const;

const folder = temporaryFolder();
afterAll(() => folder[Symbol.asyncDispose]());

for (const kind of ["ssh", "podman"] as const) {
  describeTarget(kind, (target) => {
    let there: TargetWorkspace;
    beforeAll(async () => {
      there = await openTargetWorkspace(target());
    });
    afterAll(() => there[Symbol.asyncDispose]());

    // As root, the ssh server and podman work in other ways.
    describe("environment", { tags: "root" }, () => {
      const open: OpenWorld = (content) => openTargetWorld(there, content);
      testSomeConformance("target", open);
      describe("also", { tags: kind === forAll ? [] : ["slow"] }, () => testOtherConformance("target", open));
    });

    describe("transactions", () => testTransactionsOfKilledClient(target));

    if (kind !== forAll) return;

    // They are tested on this machine, too, through the same code.
    describe("with a journal on this machine", { tags: "slow" }, () => {
      describe("edit scenarios", () => {
        testEditScenarios((files) => {
          there.empty();
          putFiles(there.here, files);
          return there.environment;
        });
      });

      describe("undo of calls", () => {
        testUndo((options) => openUndoFixture({ ...options, on: there }));
      });

      describe("undo of each tool's call", () => {
        testCallUndo(async () => {
          there.empty();
          fill(there.here);
          const crib = await openKeepFixture(folder.path, there.environment);
          return { workspace: there.here, crib, [Symbol.asyncDispose]: () => crib.close() };
        });
      });

      describe("undo of random calls", () => {
        testUndoProperties(async () => {
          const fixture = await openUndoFixture({ files: propertyFiles, on: there });
          symlinkSync("d/a", join(there.here, "link"));
          return fixture;
        }, 3);
      });

      describe("transactions", () => {
        testKilledTransactions({
          program: () => programs.transactions,
          open: (files) => killedWorkspace(folder.path, files, target()),
          times: { own: 3, parked: 1 },
          atOnce: 1,
          withinMs: 1500,
        });
      });

      describe("journal", () =>
        testKilledCalls({
          program: () => programs.calls,
          open: (files) => killedWorkspace(folder.path, files, target()),
          times: 2,
          withinMs: 800,
        }));
    });

    describe("undo of concurrent calls", () => {
      testUndoRaces((options) => openUndoFixture({ ...options, on: there }));
      testCommandRaces((files) => openCommandFixture(files, { on: there }));
    });

    describe("undo", () => {
      // Both cases on both targets would take twice as long, and show the same.
      testCommandUndo(
        (files) => openCommandFixture(files, { git: kind === "ssh", on: there }),
        commandsOnTargets,
      );
      it("undoes and redoes random scripts", { tags: "slow" }, () =>
        undoRandomScripts(
          (files) => openCommandFixture(files, { git: kind === "ssh", on: there }),
          rounds(1),
        ),
      );
      testUndoAfterKill(target, killedAfter.undo);
    });

    describe("transactions", () => testTransactionsOfKilledServer(target, killedAfter.transaction));
  });
}
