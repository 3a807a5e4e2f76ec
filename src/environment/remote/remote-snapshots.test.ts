import { expect, it } from "vitest";
import type { SentSnapshot } from "./protocol.ts";
import type { CallTarget } from "./remote-process.ts";
import { RemoteSnapshots } from "./remote-snapshots.ts";

/** A target whose answers the test gives. */
function fakeTarget() {
  const asked: { readonly params: unknown; answer(value: SentSnapshot): void }[] = [];
  const call = (_: string, params: unknown) =>
    new Promise((answer) => {
      asked.push({ params, answer });
    });
  return { asked, snapshots: new RemoteSnapshots(call as CallTarget) };
}

function sent(id: number, state: string, index?: Uint8Array): SentSnapshot {
  const repository = { path: "", prefix: "", state: { head: "", index: state, refs: "" } };
  return {
    ...{ id, takenMs: 0, paths: new Uint8Array(), figures: new Float64Array() },
    ...{ targets: [], contents: [], leftOut: [] },
    repositories: [{ ...repository, ...(index && { index: { bytes: index, modifiedMs: 0 } }) }],
  };
}

it("sends the option to scan everything", () => {
  const { asked, snapshots } = fakeTarget();
  snapshots.take({ again: true }).catch(() => {});
  expect(asked[0]?.params).toMatchObject({ again: true });
});

it("keeps the index of a repository while another snapshot is taken", async () => {
  const { asked, snapshots } = fakeTarget();
  const [old, changed] = [Buffer.from("old"), Buffer.from("changed")];
  const first = snapshots.take();
  asked[0]!.answer(sent(1, "1", old));
  await first;
  const [one, other] = [snapshots.take(), snapshots.take()];
  asked[1]!.answer(sent(2, "2", changed));
  await one;
  asked[2]!.answer(sent(3, "1"));
  expect((await other).repositories[0]?.readIndex()?.bytes).toEqual(old);
});

it("asks again for an index that the target did not send", async () => {
  const { asked, snapshots } = fakeTarget();
  const first = snapshots.take();
  asked[0]!.answer(sent(1, "1"));
  await first;
  snapshots.take().catch(() => {});
  expect(asked[1]?.params).toMatchObject({ indexes: [] });
});
