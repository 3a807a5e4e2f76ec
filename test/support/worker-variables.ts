import { join } from "node:path";

/** Before all tests: settings of the test workers and of the programs they start, some thousand times. */
export function setup(): void {
  // The programs are compiled once.
  process.env.NODE_COMPILE_CACHE = join(import.meta.dirname, "../../node_modules/.cache/toolcrib-tests");
  // Starting a program copies the page tables of its worker. Memory that is given back makes that cheaper.
  process.env.MALLOC_ARENA_MAX = "2";
  process.env.MALLOC_TRIM_THRESHOLD_ = process.env.MALLOC_MMAP_THRESHOLD_ = "131072";
}
