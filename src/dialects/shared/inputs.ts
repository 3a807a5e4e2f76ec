import type { refine } from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { Describing } from "../zod-mini.ts";

/** Files that `document.read` reads better than `file.read`, by name. */
export function isDocument(path: string): boolean {
  return /\.(?:pdf|ipynb|docx|xlsx|pptx|odt|ods|odp|epub|rtf)$/i.test(path);
}

export function oneInProgress(z: Describing): ReturnType<typeof refine<readonly Step[]>> {
  return z.refine((steps) => steps.filter(({ status }) => status === "in_progress").length <= 1, {
    error: "at most one step can be in_progress",
  });
}

interface Step {
  readonly status: string;
}

/** Some dialects let a model ask to leave the sandbox. Here only a rule of the user can allow that. */
export function refuseUnconfined(field: string): never {
  throw new ToolError("denied", "Denied: a command cannot leave its sandbox by asking for it", {
    hint:
      `Leave out ${field}: hosts and files that need a person's consent are asked for by themselves. A person lets a ` +
      "command out with a rule: `unconfined run npm publish`.",
  });
}
