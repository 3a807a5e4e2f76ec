/**
 * Runs `act` while V8 does not enlarge its space for new objects beyond 16 MB. It doubles that space up to 64 MB while
 * many objects are created, also if none of them is kept, and rarely frees it.
 */
export async function withoutHeapGrowth<Result>(act: () => Promise<Result>): Promise<Result> {
  running += 1;
  limit();
  const checking = setInterval(limit, checkMs);
  checking.unref();
  try {
    return await act();
  } finally {
    clearInterval(checking);
    running -= 1;
    if (running === 0) setGrowthFactor(defaultFactor);
  }
}

/** Stops that growth until the process ends. */
export function stopHeapGrowth(): void {
  running += 1;
  limit();
  // The space may have been freed.
  setInterval(limit, 1000).unref();
}

/**
 * Frees the memory of garbage after a while, unless the process has ended by then. Otherwise V8 keeps it for new objects:
 * 150 MB after work with many objects.
 */
export function freeHeapSoon(afterMs = 1000): void {
  clearTimeout(freeing);
  freeing = setTimeout(freeHeap, afterMs);
  freeing.unref();
}

let freeing: NodeJS.Timeout | undefined;
const largeHeapBytes = 256 * 1024 * 1024;

function freeHeap(): void {
  const { getHeapStatistics, setFlagsFromString } = process.getBuiltinModule("node:v8");
  // A large heap is mostly that of a program which uses Toolcrib. Collecting it would stop that program for seconds.
  if (getHeapStatistics().used_heap_size > largeHeapBytes) return;
  setFlagsFromString("--expose-gc");
  const collect = process.getBuiltinModule("node:vm").runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}

let running = 0;
let factor = 2;
const defaultFactor = 2;
const maxNewBytes = 16 * 1024 * 1024;
const checkMs = 20;
let isResetAtExit = false;

function limit(): void {
  const spaces = process.getBuiltinModule("node:v8").getHeapSpaceStatistics();
  const bytes = spaces.find(({ space_name: name }) => name === "new_space")?.space_size ?? 0;
  setGrowthFactor(bytes < maxNewBytes ? defaultFactor : 1);
}

function setGrowthFactor(wanted: number): void {
  if (wanted === factor) return;
  factor = wanted;
  process.getBuiltinModule("node:v8").setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  if (factor === defaultFactor || isResetAtExit) return;
  // The launcher stores compiled code then, which V8 accepts only with the same flags.
  process.prependOnceListener("exit", () => setGrowthFactor(defaultFactor));
  isResetAtExit = true;
}
