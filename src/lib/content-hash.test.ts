import { expect, it } from "vitest";
import { contentHash } from "./content-hash.ts";

it("is what sha256sum prints", () => {
  expect([contentHash(Buffer.from("abc")), contentHash(new Uint8Array(0))]).toEqual([
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  ]);
});
