import type { History } from "../../contract/history.ts";
import type { HistoryParts } from "./history.ts";

/** The history that a call is given. Loaded by its first use: most calls need none. */
export function lazyHistory(parts: HistoryParts): History {
  let opened: Promise<History> | undefined;
  const open = () => {
    opened ??= import("./history.ts").then(({ JournalHistory }) => new JournalHistory(parts));
    return opened;
  };
  return {
    changes: async (...call) => (await open()).changes(...call),
    undo: async (...call) => (await open()).undo(...call),
    setCheckpoint: async (...call) => (await open()).setCheckpoint(...call),
    checkpoints: async () => (await open()).checkpoints(),
  };
}
