import type { refine } from "zod/mini";
import type { Describing } from "../zod-mini.ts";

interface Step {
  readonly status: string;
}

/** Who works on two steps at once loses the thread. */
export function oneInProgress(z: Describing): ReturnType<typeof refine<readonly Step[]>> {
  return z.refine((steps: readonly Step[]) => steps.filter(isInProgress).length <= 1, {
    error: "at most one step can be in_progress",
  });
}

function isInProgress({ status }: Step): boolean {
  return status === "in_progress";
}
