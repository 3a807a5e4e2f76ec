import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { thisProcess } from "./process-identity.ts";
import { TransactionMarks } from "./transaction-marks.ts";

const [first, second] = ["transaction_1", "transaction_2"] as const;
const heldBy = (id: string, kind: string) => `${id}.${thisProcess()}.${kind}`;

it("lists open transactions and their owners", async () => {
  await using folder = temporaryFolder();
  const path = join(folder.path, "not made yet");
  const marks = new TransactionMarks(path);
  expect(marks.list()).toEqual([]);
  marks.begin(first, { isShared: false });
  marks.begin(second, { isShared: true });
  marks.park(second);
  expect(marks.list().toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual([
    { id: first, state: "held", isShared: false, file: heldBy(first, "own") },
    { id: second, state: "parked", isShared: true, file: `${second}.parked` },
  ]);
  marks.end(first);
  marks.end(second);
  expect(readdirSync(path)).toEqual([]);
});

it("gives a parked transaction to the first caller that takes it", async () => {
  await using folder = temporaryFolder();
  const marks = new TransactionMarks(folder.path);
  marks.begin(first, { isShared: true });
  marks.park(first);
  const [parked] = marks.list();
  expect([marks.take(parked!), marks.take(parked!)]).toEqual([true, false]);
  expect(readdirSync(folder.path)).toEqual([heldBy(first, "shared")]);
});

it("detects abandoned transactions by their owner, but not in other containers", async () => {
  await using folder = temporaryFolder();
  const marks = new TransactionMarks(folder.path);
  marks.begin(first, { isShared: false });
  const [, start = "", boot = "", namespace = ""] = thisProcess().split("-");
  const states = ["4194304", process.pid].flatMap((pid) =>
    [namespace, "1"].map((space) => {
      const name = `${first}.${pid}-${start}-${boot}-${space}.own`;
      renameSync(join(folder.path, readdirSync(folder.path)[0]!), join(folder.path, name));
      return marks.list()[0]?.state;
    }),
  );
  // Without /proc, all processes share one namespace.
  expect(states).toEqual(namespace === "0" ? states : ["abandoned", "held", "held", "held"]);
});

it("gives an abandoned transaction to the next start, also of this process", async () => {
  await using folder = temporaryFolder();
  const marks = new TransactionMarks(folder.path);
  marks.begin(first, { isShared: true });
  marks.abandon(first);
  const [mark] = marks.list();
  expect(mark).toMatchObject({ id: first, state: "abandoned", isShared: false });
  expect([marks.take(mark!), marks.list()[0]?.state]).toEqual([true, "held"]);
});
