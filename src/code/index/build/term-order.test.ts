import { expect, it } from "vitest";
import { Terms } from "../../search/terms.ts";
import { inOrderOfBytes, TermEncoder } from "./term-collector.ts";

const words = [
  ...[
    "~run",
    "=run",
    "@run",
    "run",
    "runs",
    "runner",
    "running",
    "runnin",
    "",
    "r",
    "run_1",
    "run-1",
    "RUN",
    "rUn",
  ],
  ...[
    "élan",
    "elan",
    "über",
    "éclair",
    "~é",
    "é",
    "ru\u00e9",
    "rué9",
    "\u{1f600}",
    "\uff5e",
    "run\u{1f600}",
    "run\uff5e",
  ],
  ...["runn:", "runn;", "runn=", "runn<", "\u007f", "~", "\0"],
];

it("sorts terms by their bytes", () => {
  const terms = new Terms();
  const numbers = Uint32Array.from(words, (word) => terms.numberOf(word));
  const sorted = Array.from(inOrderOfBytes(numbers, terms), (number) => terms.term(number));
  expect(sorted).toEqual(
    words.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
  );
});

it("encodes terms as bytes", () => {
  const encoder = new TermEncoder();
  for (const word of [...words, "long".repeat(200)])
    expect(Buffer.from(encoder.bytesOf(word)).toString()).toBe(word);
});
