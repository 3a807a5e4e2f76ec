import { loadOnce } from "../../../lib/async/load-once.ts";
import { namesIn } from "../../../system/directories.ts";
import { incompleteIn } from "./ended-scan.ts";
import type { Scanner, ScannerParts } from "./scanner.ts";

/** Loads the scanner on first use, because most instances run no commands. */
export function lazyScanner(parts: ScannerParts): Scanner {
  const { load } = loadOnce(async () => (await import("./scanner.ts")).openScanner(parts));
  const isPending = (name: string) => name.startsWith("call_") && name.includes(".");
  return {
    get incomplete() {
      return incompleteIn(parts);
    },
    around: async (call, next) => (await load()).around(call, next),
    settle: async () => (namesIn(parts.folder).some(isPending) ? (await load()).settle() : []),
  };
}
