/**
 * Runs `act` while V8 does not enlarge its space for new objects. It doubles that space up to 128 MB while many objects
 * are created, also if none of them is kept, and rarely frees it.
 */
export async function withoutHeapGrowth<Result>(act: () => Promise<Result>): Promise<Result> {
  running += 1;
  if (running === 1) setGrowthFactor(1);
  try {
    return await act();
  } finally {
    running -= 1;
    if (running === 0) setGrowthFactor(defaultFactor);
  }
}

/** Stops that growth until the process ends. */
export function stopHeapGrowth(): void {
  running += 1;
  if (running === 1) setGrowthFactor(1);
}

let running = 0;
const defaultFactor = 2;
let isResetAtExit = false;

function setGrowthFactor(factor: number): void {
  process.getBuiltinModule("node:v8").setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  if (factor === defaultFactor || isResetAtExit) return;
  // The launcher stores compiled code then, which V8 accepts only with the same flags.
  process.prependOnceListener("exit", () => setGrowthFactor(defaultFactor));
  isResetAtExit = true;
}
