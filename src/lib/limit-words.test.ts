import { expect, it } from "vitest";
import { spellLimit } from "./limit-words.ts";

it("spells limits as rules do", () => {
  expect([
    spellLimit("cpuSeconds", 3600),
    spellLimit("cpuSeconds", 90),
    spellLimit("memoryBytes", 8 * 1024 ** 3),
    spellLimit("fileBytes", 1000),
    spellLimit("processes", 12),
  ]).toEqual(["cpu 1h", "cpu 90s", "memory 8GB", "file 1000B", "processes 12"]);
});
