import type { refine } from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { Describing } from "../zod-mini.ts";

/** What `document.read` reads better than `file.read`, by its name. */
export function isDocument(path: string): boolean {
  return /\.(?:pdf|ipynb|docx|xlsx|pptx|odt|ods|odp|epub|rtf)$/i.test(path);
}

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

/** Models of some dialects may ask to leave the sandbox; here that is for a person to allow, by a rule. */
export function refuseUnconfined(field: string): never {
  throw new ToolError("denied", "Denied: a command cannot leave its sandbox by asking for it", {
    hint:
      `Leave out ${field}: hosts and files that need a person's consent are asked for by themselves. A person lets a ` +
      "command out with a rule: `unconfined run npm publish`.",
  });
}
