import { expect, it } from "vitest";
import { verifyJournal } from "../../src/journal/verify-journal.ts";
import { type KilledWorkspace, killAfterOutput } from "../support/killed-workspace.ts";

interface KilledTransactions {
  /** The bundled program `transactions/worker.ts`. */
  readonly program: () => string;
  readonly open: (files: Readonly<Record<string, string>>) => KilledWorkspace;
  /** How often a process is killed with its own transaction, and with a parked one. */
  readonly times: { readonly own: number; readonly parked: number };
  /** How many run at once. Workspaces on targets share the variables of this process. */
  readonly atOnce: number;
  /** The longest time until it is killed: some rounds of its work. */
  readonly withinMs: number;
}

/** Registers the tests of transactions whose process is killed at a random moment, on any machine. */
export function testKilledTransactions({ program, open, times, atOnce, withinMs }: KilledTransactions): void {
  it.each([
    ["are rolled back by the next start, whenever their process is killed", "own"],
    ["are rolled back after being parked, when a process that resumed them is killed", "parked"],
  ] as const)("%s", async (_, how) => {
    let left = times[how];
    const lane = async () => {
      while (left-- > 0) await killOnce(how);
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
  });

  async function killOnce(how: "own" | "parked"): Promise<void> {
    const world = open({ "src/a.txt": "one\n", "src/b.txt": "two\n", "src/c.txt": "three\n" });
    const before = world.now();
    await killAfterOutput(world.start(program(), how), Math.random() * withinMs);
    const crib = await world.open({ parkTransaction: how === "parked" });
    const recovered = crib.recovered.filter(({ transaction }) => transaction !== undefined);
    const unlike = recovered.filter(
      ({ outcome, leftAlone }) => outcome !== "taken back" || leftAlone.length > 0,
    );
    expect(unlike).toEqual([]);
    // It was killed between two instances, when the transaction was parked and had no owner, so it is resumed.
    if (how === "parked") await crib.call("transaction.rollback", {});
    expect(world.now()).toEqual(before);
    await crib.close();
    expect((await verifyJournal(world.journal)).fault).toBeUndefined();
  }
}
