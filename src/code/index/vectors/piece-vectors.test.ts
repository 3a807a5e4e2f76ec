import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { openTestIndex, type TestIndex } from "../../../../test/support/code-index/open-index.ts";
import { wordVector } from "../../../../test/support/embeddings/word-vectors.ts";
import type { VectorState } from "../../../contract/code.ts";
import { ToolError } from "../../../contract/error.ts";
import { vectorsName } from "../storage/index-file.ts";
import { storedVectors } from "./vector-table.ts";

const files = {
  "src/money.ts":
    "export function createInvoice(order: Order): Invoice {\n  return new Invoice(order.lines);\n}\n",
  "src/parcels.ts":
    "export function sendParcel(order: Order): void {\n  courier.collect(order.address);\n}\n\nexport function trackParcel(id: string): Place {\n  return courier.whereIs(id);\n}\n",
  "package-lock.json": '{ "name": "shop with a long lock file", "dependencies": {} }\n',
};

/** Records what is sent, and makes vectors of words. */
function recording(model = "test/words", vectorOf = wordVector) {
  const sent: string[] = [];
  const embed = async ({ texts }: { readonly texts: readonly string[] }) => {
    sent.push(...texts);
    return { vectors: texts.map(vectorOf), tokens: texts.length };
  };
  return { sent, model, embed };
}

async function embedded(index: TestIndex): Promise<VectorState> {
  return vi.waitFor(
    async () => {
      const { vectors, isBuilding } = await index.built();
      expect([isBuilding, vectors!.missing, vectors!.isRunning]).toEqual([undefined, 0, undefined]);
      return vectors!;
    },
    { timeout: 60_000, interval: 5 },
  );
}

const { signal } = new AbortController();
const find = async (index: TestIndex, words: string, vector?: Float32Array) =>
  (await index.search({ words, limit: 5, vector }, { signal })).map(({ symbol, why }) => [symbol?.name, why]);

describe("vectors of pieces", () => {
  it("find code by words that it does not contain", { tags: "slow" }, async () => {
    const embedding = recording();
    await using index = openTestIndex(files, { embedding });
    expect(await embedded(index)).toEqual({ model: "test/words", pieces: 3, missing: 0, tokens: 3 });
    expect(await find(index, "a bill")).toEqual([]);
    expect((await find(index, "a bill", wordVector("a bill")))[0]).toEqual(["createInvoice", "meaning"]);
    expect(embedding.sent.map((text) => text.split("\n")[0]).sort()).toEqual([
      "src/money.ts > createInvoice",
      "src/parcels.ts > sendParcel",
      "src/parcels.ts > trackParcel",
    ]);
  });

  it("are made only of pieces that changed, also by another process", { tags: "slow" }, async () => {
    const embedding = recording();
    await using index = openTestIndex(files, { embedding });
    await embedded(index);
    embedding.sent.length = 0;
    index.write("src/parcels.ts", files["src/parcels.ts"].replace("whereIs", "locate"));
    await embedded(index);
    expect(embedding.sent).toEqual([expect.stringContaining("courier.locate(id)")]);
    index.write("src/parcels.ts", files["src/parcels.ts"]);
    const second = recording();
    await using another = index.another({ embedding: second });
    await embedded(another);
    expect(second.sent).toEqual([]);
  });

  it("of a deleted file are not found", async () => {
    await using index = openTestIndex(files, { embedding: recording() });
    await embedded(index);
    rmSync(index.path("src/money.ts"));
    expect(await embedded(index)).toMatchObject({ pieces: 2 });
    const found = await find(index, "a bill", wordVector("a bill"));
    expect(found.map(([name]) => name)).not.toContain("createInvoice");
  });

  it("are made again for another model, and for other dimensions", { tags: "slow" }, async () => {
    await using index = openTestIndex(files, { embedding: recording() });
    await embedded(index);
    const other = recording("test/other", (text) => wordVector(text).subarray(0, 32));
    await using another = index.another({ embedding: other });
    expect(await embedded(another)).toMatchObject({ model: "test/other", tokens: 3 });
    expect(other.sent.length).toBe(3);
    const wider = recording("test/other");
    await using third = another.another({ embedding: wider });
    third.write("src/new.ts", "export function welcomeEveryGuest(): void {\n  print(greeting);\n}\n");
    await embedded(third);
    expect([wider.sent.length, storedVectors(third.directory)]).toEqual([
      4,
      expect.objectContaining({ vectors: 4 }),
    ]);
    // A vector of the old length is not compared.
    expect(await find(third, "salute", wordVector("salute").subarray(0, 32))).toEqual([]);
    expect((await find(third, "salute", wordVector("salute")))[0]?.[0]).toBe("welcomeEveryGuest");
  });

  it("are made only of files that may be read", async () => {
    const embedding = recording();
    await using index = openTestIndex(files, { embedding, mayRead: (path) => !path.includes("money") });
    expect(await embedded(index)).toMatchObject({ pieces: 2 });
    expect(embedding.sent.join("\n")).not.toContain("Invoice");
  });

  it("are made in parts: one refresh sends a limited number of texts", { tags: "slow" }, async () => {
    const names = Array.from({ length: 80 }, (_, at) => `src/${at}.ts`);
    const many = names.map((name, at) => [name, `export function greetTheGuestNumber${at}(): void {}\n`]);
    const embedding = { ...recording(), mostPerRefresh: 16 };
    await using index = openTestIndex(Object.fromEntries(many), { embedding });
    await vi.waitFor(async () => expect((await index.built()).vectors!.missing).toBe(64), {
      timeout: 60_000,
    });
    expect(embedding.sent.length).toBe(16);
    expect(await embedded(index)).toMatchObject({ pieces: 80, tokens: 80 });
  });

  it("are made again when their file is damaged", { tags: "slow" }, async () => {
    await using index = openTestIndex(files);
    {
      await using first = index.another({ embedding: recording() });
      await embedded(first);
    }
    const file = join(index.directory, vectorsName);
    writeFileSync(file, readFileSync(file).fill(0xff, 4096));
    expect(storedVectors(index.directory)).toBe("damaged");
    const embedding = recording();
    await using second = index.another({ embedding });
    expect(await embedded(second)).toMatchObject({ pieces: 3, tokens: 3 });
    expect(embedding.sent.length).toBe(3);
  });

  it("that cannot be made leave the search by words, and say why", async () => {
    const embed = () => Promise.reject(new ToolError("unavailable", "No answer", { hint: "Start it." }));
    await using index = openTestIndex(files, { embedding: { model: "test/words", embed } });
    await vi.waitFor(
      async () =>
        expect((await index.built()).vectors).toMatchObject({
          missing: 3,
          problem: { message: "No answer", hint: "Start it." },
        }),
      { timeout: 60_000 },
    );
    expect((await find(index, "invoice"))[0]?.[0]).toBe("createInvoice");
  });
});
