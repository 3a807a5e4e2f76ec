import { afterAll, beforeAll, expect, it } from "vitest";
import type { Toolcrib } from "../../src/toolcrib/index.ts";
import { snapshot } from "../support/environment/change-world.ts";
import { changingCalls } from "../support/stages/keep-world.ts";

interface CallFixture extends AsyncDisposable {
  /** With the files of `fill`. */
  readonly workspace: string;
  readonly crib: Toolcrib;
}

/** Registers a test for each tool that changes files, in one fixture: each test restores the files. */
export function testCallUndo(open: () => Promise<CallFixture>): void {
  let fixture: CallFixture;
  beforeAll(async () => {
    fixture = await open();
  });
  afterAll(() => fixture?.[Symbol.asyncDispose]());

  it.each(changingCalls)("%s; the call can be undone and redone", async (_, tool, input) => {
    const { workspace, crib } = fixture;
    const before = snapshot(workspace);
    // An edit by line needs to have seen the file as it is now.
    await crib.call("file.read", { path: "a.txt" });
    const { isError, content, callId } = await crib.call(tool, input);
    expect([isError, content]).toEqual([false, content]);
    const after = snapshot(workspace);
    expect(after).not.toEqual(before);
    await crib.call("journal.undo", { call: callId });
    expect(snapshot(workspace)).toEqual(before);
    await crib.call("journal.undo", { redo: true });
    expect(snapshot(workspace)).toEqual(after);
    await crib.call("journal.undo", {});
    expect(snapshot(workspace)).toEqual(before);
  });
}
