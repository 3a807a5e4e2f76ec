import { join } from "node:path";

/** Before all tests: compiles the programs that tests start once, because they start some thousand times. */
export function setup(): void {
  process.env.NODE_COMPILE_CACHE = join(import.meta.dirname, "../../node_modules/.cache/toolcrib-tests");
}
