import type { ToolFixture } from "../tool-fixture.ts";

/** Waits until the index of an instance is complete. On a busy machine that takes longer than a query waits. */
export async function untilIndexed({ context }: ToolFixture): Promise<void> {
  const { code, signal } = context;
  for (;;) {
    const { state } = await code.index({ signal, progress: () => {} });
    if (state.indexed === state.files && state.outlined === state.outlinable) return;
  }
}
