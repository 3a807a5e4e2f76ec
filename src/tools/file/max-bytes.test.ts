import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { toolFixture } from "../../../test/support/tool-fixture.ts";
import { fileRead } from "./read.ts";

it("stops before the line that would exceed the requested bytes", async () => {
  await using opened = toolFixture();
  writeFileSync(opened.at("a.txt"), "1234\n".repeat(5));
  const { text, continuation } = await opened.run(fileRead, {
    path: "a.txt",
    max_bytes: 12,
    line_numbers: false,
  });
  expect([text, continuation]).toEqual(["1234\n1234\n", "a.txt: lines 1 to 2 of 5; continue with offset 3."]);
});

it("cuts a single line that is longer, and reports by how much", async () => {
  await using opened = toolFixture();
  writeFileSync(opened.at("a.txt"), `${"x".repeat(30)}\nnext\n`);
  const { data } = await opened.run(fileRead, { path: "a.txt", max_bytes: 10 });
  expect(data.files).toMatchObject([{ text: "x".repeat(10), cutBytes: 20, lines: 1, nextOffset: 2 }]);
});
