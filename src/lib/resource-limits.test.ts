import { expect, it } from "vitest";
import { formatLimit } from "./resource-limits.ts";

it("formats limits as rules spell them", () => {
  expect([
    formatLimit("cpuSeconds", 3600),
    formatLimit("cpuSeconds", 90),
    formatLimit("memoryBytes", 8 * 1024 ** 3),
    formatLimit("fileBytes", 1000),
    formatLimit("processes", 12),
  ]).toEqual(["cpu 1h", "cpu 90s", "memory 8GB", "file 1000B", "processes 12"]);
});
