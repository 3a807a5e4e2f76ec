import { describe, expect, it } from "vitest";
import { blockFixture } from "../../../test/support/code-tools/block-fixture.ts";
import { codeValidate } from "./validate.ts";

const { answered } = blockFixture();

describe("code.validate", () => {
  it("reports in one sentence that a file parses", async () => {
    expect(await answered(codeValidate, "fn a() {}\n", { path: "a.rs" })).toEqual({
      data: { path: "a.rs", language: "rust", parses: true, faults: [] },
      text: "a.rs parses: no faults in its rust.",
    });
  });

  it("shows each error with line, column and a mark below it", async () => {
    const content = "// 🙂\nfunction a() {\n\treturn f(1;\n}\n\nfunction b( {}\n";
    const { data, text } = await answered(codeValidate, content, { path: "a.js" });
    expect([data.parses, data.faults.map(({ line }) => line)]).toEqual([false, [3, 6]]);
    expect(text).toBe(
      [
        "a.js does not parse as javascript: 2 faults.",
        `3:${data.faults[0]!.column}: ${data.faults[0]!.message}`,
        "3 | \treturn f(1;",
        `  | \t${" ".repeat(data.faults[0]!.column - 2)}^`,
        `6:${data.faults[1]!.column}: ${data.faults[1]!.message}`,
        "6 | function b( {}",
        `  | ${" ".repeat(data.faults[1]!.column - 1)}^`,
      ].join("\n"),
    );
  });

  it("shows the wrong part of a long line", async () => {
    const content = `let a = "${"x".repeat(5000)}"; let b = ;\n`;
    const { text } = await answered(codeValidate, content, { path: "a.js" });
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(200);
    expect(text).toContain("let b = ;");
  });

  it("limits the output for a file full of errors", { tags: "slow" }, async () => {
    const { text, data } = await answered(codeValidate, "fn ( {\n".repeat(2000), { path: "a.rs" });
    expect(data.parses).toBe(false);
    expect(text.split("\n").length).toBeLessThan(70);
  });
});
