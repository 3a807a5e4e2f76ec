import { expect, it } from "vitest";
import { fingerprint } from "./fingerprint.ts";

it("gives the same text the same digits, in every version", () => {
  expect(["", "/work/main", "/work/Main", "/home/ä/😀"].map(fingerprint)).toEqual([
    "488bdcb81aee8d83",
    "dcef0d3c401f76e2",
    "3573fa3fa50340ea",
    "0ff71b6f1832b4ab",
  ]);
});

it("tells apart a hundred thousand paths that differ little", () => {
  const paths = Array.from({ length: 100_000 }, (_, number) => `/home/user/project-${number}`);
  expect(new Set(paths.map(fingerprint)).size).toBe(paths.length);
});
