import type { ToolFixture } from "../tool-fixture.ts";

/** Until the index of a room knows all there is: on a busy machine that takes longer than a question waits. */
export async function untilIndexed({ context }: ToolFixture): Promise<void> {
  const { code, signal } = context;
  for (;;) {
    const { state } = await code.index({ signal, progress: () => {} });
    if (state.indexed === state.files && state.outlined === state.outlinable) return;
  }
}
