import { expect, it } from "vitest";
import { ComplaintFilter } from "./command-pipes.ts";

const complaint = "bash: [19835: 2 (255)] tcsetattr: Inappropriate ioctl for device\n";

function filtered(...pieces: readonly string[]): string {
  const filter = new ComplaintFilter();
  const passed = pieces.map((piece) => filter.take(Buffer.from(piece)));
  return Buffer.concat([...passed, filter.end()]).toString();
}

it.each([
  ["alone", [complaint]],
  ["in separate writes", ["bash: ", "[19835: 2 (255)] tcsetattr", ": Inappropriate ioctl for device\n"]],
  ["with the path of bash", [`/usr/bin/${complaint}`]],
])("removes the tcsetattr error %s", (_name, pieces) => {
  expect(filtered("before\n", ...pieces, "after")).toEqual("before\nafter");
});

it.each([
  ["other errors", ["bash: line 3: x: command not found\n"]],
  ["other errors in pieces", ["bash: ", "line 3: x: command not found\n"]],
  ["a similar start of a line", ["a: b\nbash: [", "1"]],
  ["any bytes", ["\u00e9: \u0000", "\ud83d\ude00"]],
])("passes on %s", (_name, pieces) => {
  expect(filtered(...pieces)).toEqual(pieces.join(""));
});
