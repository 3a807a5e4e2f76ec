import { ToolError } from "../../src/contract/error.ts";
import type { Stage } from "../../src/pipeline/stage.ts";

/** Refuses a call that equals the previous one: a model that repeats itself is stuck. */
export function refuseRepeats(): Stage {
  let previous = "";
  return async (call, next) => {
    const current = JSON.stringify([call.tool.name, call.input]);
    if (current === previous) {
      throw new ToolError("denied", "This is the same call as the one before", {
        hint: "Its answer is above; do something with it.",
      });
    }
    previous = current;
    return next(call);
  };
}
