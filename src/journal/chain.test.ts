import { expect, it } from "vitest";
import { chainStart, hashLink, type Link } from "./records.ts";

const link: Link = { sequence: 1, at: 2, kind: "begin", session: "s", call: "c", body: "{}" };

it("depends on the previous hash and on every column", () => {
  const hashes = [
    hashLink(chainStart, link),
    hashLink("1".repeat(64), link),
    hashLink(chainStart, { ...link, sequence: 2 }),
    hashLink(chainStart, { ...link, at: 3 }),
    hashLink(chainStart, { ...link, kind: "end" }),
    hashLink(chainStart, { ...link, session: "t" }),
    hashLink(chainStart, { ...link, call: "d" }),
    hashLink(chainStart, { ...link, session: "sc", call: "" }),
    hashLink(chainStart, { ...link, body: "[]" }),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
});

it("is the same for a body given as text or as bytes", () => {
  expect(hashLink(chainStart, { ...link, body: Buffer.from("{}") })).toBe(hashLink(chainStart, link));
});
