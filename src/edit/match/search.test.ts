import { expect, it } from "vitest";
import { everyOccurrence } from "./search.ts";

it("finds every match, including overlapping ones, in repetitive and other text", () => {
  const line = "x\n";
  const odd = `${line.repeat(5)}y\n${line.repeat(195)}`;
  const text = line.repeat(300) + odd + odd + line.repeat(300);
  for (const sought of [line, odd, line.repeat(200), odd.slice(0, -200), `${odd}z`]) {
    const expected: number[] = [];
    for (let at = 0; at < text.length; at += 1) if (text.startsWith(sought, at)) expected.push(at);
    expect([...everyOccurrence(text, sought)]).toEqual(expected);
  }
});

it("terminates on many identical lines", { tags: "slow" }, () => {
  const lines = "x\n".repeat(4_000_000);
  const sought = `${"x\n".repeat(100)}y\n${"x\n".repeat(1900)}`;
  expect([...everyOccurrence(lines, sought)]).toEqual([]);
});
