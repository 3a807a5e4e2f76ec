import type { TargetWorkspace } from "../../../test/support/remote/target-workspace.ts";
import { withOutputs } from "../foreign-environment.ts";
import { MemoryEnvironment } from "../memory/memory-environment.ts";
import { entriesIn, putFiles } from "./local-world.ts";
import type { World, WorldContent } from "./world.ts";

/** The workspace of a real target, emptied and filled again. */
export function openTargetWorld(
  { environment, here, outside, empty }: TargetWorkspace,
  { files = {}, outputs = {} }: WorldContent = {},
): World {
  empty();
  putFiles(here, files);
  const stored = new MemoryEnvironment({ workspace: "/outputs", files: outputs });
  return {
    ...{ environment: withOutputs(environment, stored), outside },
    ...entriesIn(here),
    [Symbol.asyncDispose]: async () => {},
  };
}
