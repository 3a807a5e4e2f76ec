import { join } from "node:path";

/** Before all tests: the programs they start, some thousand times, are compiled once. */
export function setup(): void {
  process.env.NODE_COMPILE_CACHE = join(import.meta.dirname, "../../node_modules/.cache/toolcrib-tests");
}
