import { expect, it } from "vitest";
import { ToolError } from "../contract/error.ts";
import { LineWatch } from "./readiness.ts";

it("finds a line that arrives in pieces, on either stream", () => {
  const watch = new LineWatch("listening on port [0-9]+");
  const pieces = [
    ["stdout", "listening on "],
    ["stderr", "warning\n"],
    ["stdout", "port 80"],
    ["stdout", "80\nnext\n"],
  ] as const;
  expect(pieces.map(([stream, text]) => watch.push(stream, text))).toEqual([
    undefined,
    undefined,
    undefined,
    "listening on port 8080",
  ]);
});

it("ignores colours, and case on request", () => {
  const watch = new LineWatch("(?i)READY in");
  expect(watch.push("stdout", "\u001b[32m\u001b[1mready\u001b[22m\u001b[39m in 20 ms\r\n")).toBe(
    "ready in 20 ms",
  );
});

it("treats each state of a progress bar as a line", () => {
  const watch = new LineWatch("^100%$");
  expect([watch.push("stderr", "50%\r"), watch.push("stderr", "100%\r")]).toEqual([undefined, "100%"]);
});

it("finds a prompt that has no line ending", () => {
  const watch = new LineWatch("^Password: $");
  expect([watch.push("stdout", "Password: "), watch.unfinished()]).toEqual([undefined, "Password: "]);
});

it("matches the start of an endless line in bounded memory", () => {
  const watch = new LineWatch("x{10}$");
  for (let count = 0; count < 1000; count += 1) watch.push("stdout", "x".repeat(1000));
  expect(watch.push("stdout", "\n")?.length).toBe(64 * 1024);
});

it("refuses an invalid expression, and gives up on one that backtracks forever", { tags: "slow" }, () => {
  expect(() => new LineWatch("((")).toThrow(ToolError);
  expect(() => new LineWatch("((")).toThrow(
    expect.objectContaining({ hint: 'For a literal "(" write "\\(".' }),
  );
  const watch = new LineWatch("^(a|a)*$");
  expect(() => watch.push("stdout", `${"a".repeat(60)}b\n`)).toThrow("takes too long to match");
});
