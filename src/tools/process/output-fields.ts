import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { ToolContext } from "../../contract/tool.ts";

/** How much of what it said an answer shows. */
export function maxCharsField(usual: string): z.ZodMiniOptional<z.ZodMiniNumberFormat> {
  return z.optional(
    z.int().check(z.minimum(1), z.maximum(1_000_000), z.describe(`About how much; ${usual} if not given.`)),
  );
}

/** How long an answer waits for more. */
export const waitField: z.ZodMiniOptional<z.ZodMiniNumberFormat> = z.optional(
  z.int().check(z.minimum(0), z.maximum(600_000), z.describe("Wait for its end, at most this long.")),
);

/** Whatever was not shown before. */
export const lastCursor: z.ZodMiniLiteral<"last"> = z.literal("last");

/** Waits for the end of a process; that it goes on is no failure. */
export async function untilEnded(
  name: string,
  waitMs: number,
  { processes, signal, progress, output }: ToolContext,
): Promise<void> {
  try {
    await processes.wait(
      name,
      { until: "exit", timeoutMs: Math.max(waitMs, 1) },
      { signal, progress, output },
    );
  } catch (error) {
    const isPatient = error instanceof ToolError && error.code === "timeout" && !signal.aborted;
    if (!isPatient) throw error;
  }
}
