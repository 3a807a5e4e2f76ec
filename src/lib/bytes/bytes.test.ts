import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { containsBytes, detachedCopy, releaseBytes } from "./bytes.ts";

it("containsBytes finds the same as Buffer.includes", () => {
  const texts = ["", "a", "b", "ab", "aab", "aba", "abab", "ababb", "aabaaab", "abaabaaab"].map((text) =>
    Buffer.from(text),
  );
  for (const text of texts) {
    expect(texts.map((sought) => containsBytes(text, sought))).toEqual(
      texts.map((sought) => text.includes(sought)),
    );
  }
});

it("containsBytes finishes in one pass when the text almost matches everywhere", { tags: "slow" }, () => {
  const lines = Buffer.from("x\n".repeat(4_000_000));
  const sought = Buffer.from(`${"x\n".repeat(100)}y\n${"x\n".repeat(1900)}`);
  expect(containsBytes(lines, sought)).toBe(false);
});

it("releaseBytes frees only memory that is not shared", () => {
  const own = new Uint8Array(100_000);
  const shared = new Uint8Array(100_000);
  releaseBytes(own);
  releaseBytes(shared.subarray(1));
  expect([own.buffer.byteLength, shared.buffer.byteLength]).toEqual([0, 100_000]);
});

it("detachedCopy returns the same text, also with half a character in it", () => {
  const texts = ["", "a", "вя 😀\0\r\n", "😀".slice(1), "é".repeat(1000)];
  expect(texts.map(detachedCopy)).toEqual(texts);
});

it("detachedCopy does not retain the text it was cut from", { tags: "slow" }, async () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  collect();
  const before = process.memoryUsage().external;
  const copies = Array.from({ length: 20 }, () =>
    detachedCopy(Buffer.alloc(5_000_000, "a").toString("latin1").slice(0, 1000)),
  );
  const heldBytes = () => process.memoryUsage().external - before;
  // On a busy machine, collected memory is returned a little later.
  for (let tries = 0; tries < 100 && heldBytes() >= 50_000_000; tries += 1) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect([copies.join("").length, heldBytes() < 50_000_000]).toEqual([20_000, true]);
});
