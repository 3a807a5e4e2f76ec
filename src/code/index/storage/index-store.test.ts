import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { IndexStore } from "./index-store.ts";

it("frees the memory of records that were replaced many times", async () => {
  await using folder = temporaryFolder();
  const store = new IndexStore(join(folder.path, "index"));
  const record = (number: number) => ({
    ...{ path: "a.ts", figures: [number, 0, 0, 0, 0] as const, settled: true },
    ...{ hash: String(number).padStart(64, "a"), language: "typescript", lexical: 0, words: -1 },
    traits: { binary: false, oddCase: false, unparsed: false },
  });
  store.sync();
  const { edition } = store;
  store.change(() => {
    for (let number = 0; number < 1010; number += 1) store.add(record(number));
  });
  const editions = [1, 2].map(() => {
    store.sync();
    return store.edition - edition;
  });
  expect(editions).toEqual([1, 1]);
  expect(store.records.get("a.ts")).toMatchObject(record(1009));
  store.close();
});
