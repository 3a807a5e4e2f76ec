import type { Verdict } from "./judge.ts";
import type { Engine } from "./task.ts";

export async function measureBigFile(
  _: Engine,
): Promise<Record<string, { ms: number; verdict: Verdict } | undefined>> {
  return {};
}
