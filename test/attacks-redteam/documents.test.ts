import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { makeTar } from "../support/documents/make-tar.ts";
import { makeZip } from "../support/documents/make-zip.ts";
import { temporaryToolcrib } from "../support/temporary-toolcrib.ts";

/** Leaks that a red team found in the first document.read, tested through the whole pipeline. */
const fixture = await temporaryToolcrib();
afterAll(() => fixture[Symbol.asyncDispose]());

async function read(path: string, bytes: Uint8Array | string, others: object = {}) {
  writeFileSync(fixture.at(path), bytes);
  return fixture.crib.call("document.read", { path, ...others });
}

describe("a document", () => {
  it.each([
    ["a.zip", makeZip([{ name: "app/.env", content: "KEY=canary" }]), "entry app/.env"],
    ["a.zip", makeZip([{ name: "../.env", content: "KEY=canary" }]), "../.env"],
    ["a.tar", makeTar([{ name: ".ssh/id_rsa", content: "canary" }]), "entry .ssh/id_rsa from 1"],
    ["b.gz", gzipSync("canary"), "entry b/../.env"],
  ])("does not carry secrets past the rules: %s", async (path, bytes, part) => {
    const result = await read(path, bytes, { part });
    expect([result.error?.code, JSON.stringify(result).includes("canary")]).toEqual(["denied", false]);
  });

  it("does not fill the context with its own metadata", { tags: "slow" }, async () => {
    const comment = Buffer.alloc(65_537, "c");
    comment.set([0xff, 0xfe, 0xff, 0xff]);
    const picture = Buffer.concat([Buffer.from([0xff, 0xd8]), ...Array<Buffer>(200).fill(comment)]);
    const result = await read("a.jpg", picture);
    expect([result.error, JSON.stringify(result).length < 10_000]).toEqual([null, true]);
  });

  it("does not pass invalid images to models", { tags: "slow" }, async () => {
    const output = { output_type: "display_data", metadata: {}, data: { "image/png": "bm8gcGljdHVyZQ==" } };
    const cell = { cell_type: "code", execution_count: 1, metadata: {}, outputs: [output], source: "x" };
    const notebook = { cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 4 };
    const result = await read("a.ipynb", JSON.stringify(notebook), { images: true });
    expect([result.error, result.images]).toEqual([null, []]);
  });
});
