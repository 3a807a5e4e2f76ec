import { expect, it } from "vitest";
import type { Toolcrib } from "../../src/toolcrib/index.ts";
import { snapshot } from "../support/environment/change-world.ts";
import { changingCalls } from "../support/stages/keep-world.ts";

interface CallFixture extends AsyncDisposable {
  /** With the files of `fill`. */
  readonly workspace: string;
  readonly crib: Toolcrib;
}

/** Registers a test for each tool that changes files. */
export function testCallUndo(open: () => Promise<CallFixture>): void {
  it.each(changingCalls)("%s; the call can be undone and redone", async (_, tool, input) => {
    await using fixture = await open();
    const { workspace, crib } = fixture;
    const before = snapshot(workspace);
    const { isError, content, callId } = await crib.call(tool, input);
    expect([isError, content]).toEqual([false, content]);
    const after = snapshot(workspace);
    expect(after).not.toEqual(before);
    await crib.call("journal.undo", { call: callId });
    expect(snapshot(workspace)).toEqual(before);
    await crib.call("journal.undo", { redo: true });
    expect(snapshot(workspace)).toEqual(after);
  });
}
