import { afterAll, beforeAll, describe } from "vitest";
import { testConformance } from "../../src/environment/conformance/conformance.ts";
import { openTargetWorld } from "../../src/environment/conformance/target-world.ts";
import { describeTarget } from "../support/remote/real-targets.ts";
import { openTargetWorkspace, type TargetWorkspace } from "../support/remote/target-workspace.ts";

// What holds on this machine also holds on real targets: Debian's ssh server, and a container of podman and runc.

for (const kind of ["ssh", "podman"] as const) {
  describeTarget(kind, (target) => {
    let there: TargetWorkspace;
    beforeAll(async () => {
      there = await openTargetWorkspace(target());
    });
    afterAll(() => there[Symbol.asyncDispose]());

    testConformance("environment", (content) => openTargetWorld(there, content));
  });
}
