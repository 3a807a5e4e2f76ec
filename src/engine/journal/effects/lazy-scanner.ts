import { loadOnce } from "../../../lib/async/load-once.ts";
import { namesIn } from "../../../system/directories.ts";
import type { Scanner, ScannerParts } from "./scanner.ts";

/** Loads the scanner on first use, because most instances run no commands. */
export function lazyScanner(parts: ScannerParts): Scanner {
  let scanner: Scanner | undefined;
  const { load } = loadOnce(async () => {
    const { openScanner } = await import("./scanner.ts");
    scanner = openScanner(parts);
    return scanner;
  });
  const isPending = (name: string) => name.startsWith("call_") && name.includes(".");
  return {
    get incomplete() {
      return scanner?.incomplete;
    },
    around: async (call, next) => (await load()).around(call, next),
    settle: async () => (namesIn(parts.folder).some(isPending) ? (await load()).settle() : []),
  };
}
