import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { History } from "../../contract/history.ts";
import type { Blobs } from "../blobs.ts";
import type { HistoryParts } from "./history.ts";

export interface CallHistoryParts extends Omit<HistoryParts, "environment" | "blobs"> {
  readonly blobs: Blobs;
  /**
   * The workspace without its guard, which is never handed on: what a command did to a guarded file is taken back like
   * anything else, though nobody is shown it. An undo only ever restores what was there.
   */
  readonly unguarded: () => Environment;
  /** Whether the call was judged as one that writes: others may look, but not undo. */
  readonly mayUndo: boolean;
}

/** The history that a call is given. Loaded by its first use: most calls need none. */
export function lazyHistory({ unguarded, mayUndo, ...parts }: CallHistoryParts): History {
  let opened: Promise<History> | undefined;
  const load = async (): Promise<History> => {
    const { JournalHistory } = await import("./history.ts");
    const { keepingEnvironment } = await import("../keep/keeping-environment.ts");
    return new JournalHistory({ ...parts, environment: keepingEnvironment(unguarded(), parts) });
  };
  const open = () => {
    opened ??= load();
    return opened;
  };
  return {
    changes: async (...call) => (await open()).changes(...call),
    undo: async (selection, options) => {
      if (!mayUndo && options?.dryRun !== true) throw onlyReads();
      return (await open()).undo(selection, options);
    },
    setCheckpoint: async (...call) => (await open()).setCheckpoint(...call),
    checkpoints: async () => (await open()).checkpoints(),
  };
}

function onlyReads(): ToolError {
  return new ToolError("denied", "This call was judged as one that changes nothing: it can only look back", {
    hint: "Let the tool say that it writes, or ask for a dry run.",
  });
}
