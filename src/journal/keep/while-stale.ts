import { ToolError } from "../../contract/error.ts";

/** Does it again when somebody was quicker; each time somebody else has got further. */
export async function whileStale<Result>(act: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await act();
    } catch (error) {
      const isStale = error instanceof ToolError && error.code === "stale";
      if (!isStale || tries >= maxTries) throw error;
    }
  }
}

const maxTries = 50;
