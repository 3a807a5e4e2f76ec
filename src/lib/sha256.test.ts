import { hash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { sha256 } from "./sha256.ts";

it("is the hash that node:crypto gives", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (content) => {
      expect(sha256(content)).toBe(hash("sha256", content, "hex"));
    }),
  );
});

it("is so at every border of a block, and for megabytes", () => {
  for (const length of [0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 2 ** 20 + 7]) {
    const content = Buffer.alloc(length, `${length}`);
    expect(sha256(content)).toBe(hash("sha256", content, "hex"));
  }
});
