import { ToolError } from "../contract/error.ts";
import type { History } from "../contract/history.ts";

/** Where no journal is kept. */
export function noHistory(): History {
  const refuse = async () => {
    throw new ToolError("unavailable", "No journal is kept here: nothing can be undone", {
      hint: "Open the tools with openToolcrib, which keeps one.",
    });
  };
  return { changes: refuse, undo: refuse, setCheckpoint: refuse, checkpoints: refuse };
}
