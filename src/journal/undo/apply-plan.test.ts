import { existsSync, renameSync, symlinkSync } from "node:fs";
import { expect, it } from "vitest";
import type { Environment } from "../../contract/environment.ts";
import { openLocalWorld } from "../../environment/conformance/local-world.ts";
import { openBlobs } from "../blobs.ts";
import { applyPlan } from "./apply-plan.ts";
import { Contents } from "./contents.ts";

it("writes nothing through a symlink that replaces a folder at the last moment", async () => {
  await using world = openLocalWorld({ files: { "d/b": "b", "e/x": "" } });
  const { path } = world;
  const swap = () => {
    renameSync(path("d"), path("real"));
    symlinkSync("e", path("d"));
  };
  const swapBack = () => renameSync(path("real"), path("d"));
  const environment: Environment = Object.create(world.environment, {
    workspace: { value: world.environment.workspace },
    change: { value: later(world.environment, "change", swap) },
    move: { value: later(world.environment, "move", swap) },
  });
  const contents = new Contents({ blobs: openBlobs(path("blobs")), environment });
  const nothing = { kind: "nothing" } as const;
  const brought = { path: "d/a", now: nothing, wanted: contents.add(Buffer.from("a"), 0o644) };
  const move = {
    ...{ from: "d/c", to: "e/x", currentFrom: "d/c", currentTo: "e/x" },
    ...{ state: nothing, callId: "call_1" },
  };
  const refusal = "Nothing was undone: d is now a link or is behind one";
  for (const phase of [
    { steps: [brought], move: undefined },
    { steps: [], move },
  ]) {
    const plan = { phases: [phase], conflicts: [], stuck: [] };
    await expect(applyPlan(plan, { environment, contents })).rejects.toThrow(refusal);
    expect(["e/a", "e/c", "real/a"].map((name) => existsSync(path(name)))).toEqual([false, false, false]);
    expect(existsSync(path("e/x"))).toBe(true);
    renameSync(path("d"), path("link"));
    swapBack();
  }
});

/** The same method, after a concurrent change. */
function later(environment: Environment, name: "change" | "move", act: () => void): unknown {
  return (...call: unknown[]) => {
    act();
    return Reflect.apply(environment[name], environment, call);
  };
}
