import { expect, it } from "vitest";
import { releaseBytes } from "./release-bytes.ts";

it("gives memory back that is nobody else's", () => {
  const own = new Uint8Array(100_000);
  const shared = new Uint8Array(100_000);
  releaseBytes(own);
  releaseBytes(shared.subarray(1));
  expect([own.buffer.byteLength, shared.buffer.byteLength]).toEqual([0, 100_000]);
});
