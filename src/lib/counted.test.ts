import { expect, it } from "vitest";
import { counted } from "./counted.ts";

it("adds an s to everything but one", () => {
  expect([0, 1, 2].map((count) => counted(count, "byte"))).toEqual(["0 bytes", "1 byte", "2 bytes"]);
});
