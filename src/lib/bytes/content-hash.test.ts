import { hash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { contentHash, fingerprint, sha256 } from "./content-hash.ts";

it("equals the output of sha256sum", () => {
  expect([contentHash(Buffer.from("abc")), contentHash(new Uint8Array(0))]).toEqual([
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  ]);
});

it("equals the hash from node:crypto", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (content) => {
      expect(sha256(content)).toBe(hash("sha256", content, "hex"));
    }),
  );
});

it("is correct at every block boundary, and for megabytes", () => {
  for (const length of [0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 2 ** 20 + 7]) {
    const content = Buffer.alloc(length, `${length}`);
    expect(sha256(content)).toBe(hash("sha256", content, "hex"));
  }
});

it("is the same for the same text in every version", () => {
  expect(["", "/work/main", "/work/Main", "/home/ä/😀"].map(fingerprint)).toEqual([
    "488bdcb81aee8d83",
    "dcef0d3c401f76e2",
    "3573fa3fa50340ea",
    "0ff71b6f1832b4ab",
  ]);
});

it("differs for a hundred thousand similar paths", { tags: "slow" }, () => {
  const paths = Array.from({ length: 100_000 }, (_, number) => `/home/user/project-${number}`);
  expect(new Set(paths.map(fingerprint)).size).toBe(paths.length);
});
