import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { ChangeHistory } from "../../contract/history.ts";
import { loadOnce } from "../../lib/async/load-once.ts";
import type { Blobs } from "../blobs.ts";
import type { HistoryParts } from "./history.ts";

export interface CallHistoryParts extends Omit<HistoryParts, "environment" | "blobs"> {
  readonly blobs: Blobs;
  /** Returns the workspace without its guard, because an undo also restores guarded files. Never passed to a tool. */
  readonly unguarded: () => Environment;
  /** Whether the policy allowed the call to write any file. Otherwise it may show changes, but not undo them. */
  readonly mayUndo: boolean;
}

/** Returns the history for a call. It is loaded on first use, because most calls do not need it. */
export function lazyHistory({ unguarded, mayUndo, ...parts }: CallHistoryParts): ChangeHistory {
  const { load: open } = loadOnce(async (): Promise<ChangeHistory> => {
    const { JournalHistory } = await import("./history.ts");
    const { keepingEnvironment } = await import("../keep/keeping-environment.ts");
    return new JournalHistory({ ...parts, environment: keepingEnvironment(unguarded(), parts) });
  });
  return {
    changes: async (...call) => (await open()).changes(...call),
    undo: async (selection, options) => {
      if (!mayUndo && options?.dryRun !== true)
        throw new ToolError(
          "denied",
          "This call does not declare to write the workspace, so it cannot undo",
          {
            hint: 'Name the workspace in `accesses` ({ kind: "write", path: "." }), or request a dry run.',
          },
        );
      return (await open()).undo(selection, options);
    },
    setCheckpoint: async (...call) => (await open()).setCheckpoint(...call),
    checkpoints: async () => (await open()).checkpoints(),
  };
}
