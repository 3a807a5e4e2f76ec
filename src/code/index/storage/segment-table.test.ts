import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { IndexStore } from "./index-store.ts";
import { emptyColumns } from "./segment-table.ts";

it("keeps no part of the message that brought a segment", async () => {
  await using folder = temporaryFolder();
  const store = new IndexStore(join(folder.path, "index"));
  const message = Buffer.alloc(100_000, "alpha");
  const segment = { documents: 1, firstTerms: [message.subarray(0, 5)], pages: [message.subarray(0, 10)] };
  const kindOf = message.subarray(7, 8);
  store.change(() => {
    store.segments.addLexical({ ...segment, weighted: false }, new Uint32Array([1]));
    store.segments.addWords({ ...segment, weighted: true }, { ...emptyColumns(1), kindOf });
  });
  const [lexical, words] = [...store.segments.lexical, ...store.segments.words].map(({ head }) => head);
  const sizes = [lexical!, words!].map(({ firstTerms }) => firstTerms[0]!.buffer.byteLength);
  expect({ sizes, term: Buffer.from(words!.firstTerms[0]!).toString() }).toEqual({
    sizes: [5, 5],
    term: "alpha",
  });
  expect([...store.segments.words][0]!.head.kindOf.buffer.byteLength).toBe(1);
  store.close();
});

it("stores numbers of lines that do not fit in 16 bits", async () => {
  await using folder = temporaryFolder();
  const store = new IndexStore(join(folder.path, "index"));
  const segment = {
    documents: 2,
    firstTerms: [Buffer.from("alpha")],
    pages: [Buffer.from("page")],
    weighted: true,
  };
  const columns = {
    ...emptyColumns(2),
    firstLines: Uint32Array.of(1, 65_535),
    lastLines: Uint32Array.of(2, 65_536),
  };
  store.change(() => store.segments.addWords(segment, columns));
  store.close();
  const again = new IndexStore(join(folder.path, "index"));
  again.sync();
  const { head } = [...again.segments.words][0]!;
  expect([head.firstLines, head.lastLines].map((lines) => [...lines])).toEqual([
    [1, 65_535],
    [2, 65_536],
  ]);
  expect(head.firstLines.BYTES_PER_ELEMENT).toBe(2);
  again.close();
});
