import type { refine } from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { Describing } from "../zod-mini.ts";

/** Returns whether `document.read` reads a file of this name better than `file.read`. */
export function isDocument(path: string): boolean {
  return /\.(?:pdf|ipynb|docx|xlsx|pptx|odt|ods|odp|epub|rtf)$/i.test(path);
}

export function oneInProgress(
  z: Describing,
): ReturnType<typeof refine<readonly { readonly status: string }[]>> {
  return z.refine((steps) => steps.filter(({ status }) => status === "in_progress").length <= 1, {
    error: "at most one step can be in_progress",
  });
}

/** Refuses a model's request to leave the sandbox, which only a rule of the user can allow. */
export function refuseUnconfined(field: string): never {
  throw new ToolError("denied", "Denied: a call cannot turn off the sandbox", {
    hint: `Leave out ${field}. Where approval is needed, the user is asked automatically.`,
    forUser: {
      hint: "To run a command without the sandbox, add a rule, for example: unconfined run npm publish",
    },
  });
}

/** The fields that name a block of code, and those that guard an edit of it. */
export const blockFields = ["path", "kind", "name", "module_path", "line_hint"] as const;
export const editFields = ["expected_old_hash", "expected_old_block", "run_formatter", "run_check"] as const;
