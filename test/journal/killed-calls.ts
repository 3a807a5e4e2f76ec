import { expect, it } from "vitest";
import { Journal } from "../../src/journal/journal.ts";
import { verifyJournal } from "../../src/journal/verify-journal.ts";
import { type KilledWorkspace, killAfterOutput } from "../support/killed-workspace.ts";

interface KilledCalls {
  /** The bundled program `journal/caller.ts`. */
  readonly program: () => string;
  readonly open: (files: Readonly<Record<string, string>>) => KilledWorkspace;
  /** How often a process is killed in the same workspace. */
  readonly times: number;
  /** The longest time until it is killed: some calls. */
  readonly withinMs: number;
}

/** Registers the test of a journal whose process is killed at a random moment between and during calls, on any machine. */
export function testKilledCalls({ program, open, times, withinMs }: KilledCalls): void {
  it("keeps every answered call of a killed process, and undoes all of them", async () => {
    const world = open({ "kept.txt": "old\n", "moved.txt": "old\n" });
    const before = world.now();
    const answered: string[] = [];
    for (let time = 0; time < times; time += 1) {
      const output = await killAfterOutput(world.start(program(), `${time}`), Math.random() * withinMs);
      answered.push(...output.split("\n").slice(1, -1));
    }
    await using crib = await world.open({ undoScope: "workspace" });
    const journal = new Journal({ file: world.journal, session: "after" });
    const finished = new Set(journal.calls({}).flatMap((call) => (call.outcome === "ok" ? call.callId : [])));
    journal.close();
    expect(answered.filter((callId) => !finished.has(callId))).toEqual([]);
    const undone = await crib.call("journal.undo", { last: 10_000 });
    // On a busy machine, every process may have been killed before its first call.
    if (answered.length > 0) expect(undone).toMatchObject({ error: null });
    expect(world.now()).toEqual(before);
    await crib.close();
    expect((await verifyJournal(world.journal)).fault).toBeUndefined();
  });
}
