import fc from "fast-check";
import { expect, it } from "vitest";
import { openNewlineCounter, plainCounter, simdCounter } from "./line-index.ts";

const bufferBytes = 300;

it("counts sixteen bytes at a time exactly like one by one", () => {
  const fast = simdCounter(bufferBytes);
  const plain = plainCounter(bufferBytes);
  const byte = fc.oneof(fc.constant(10), fc.integer({ min: 0, max: 255 }));
  const content = fc.uint8Array({ minLength: bufferBytes, maxLength: bufferBytes });
  const newlines = fc.array(byte, { minLength: bufferBytes, maxLength: bufferBytes });
  const offset = fc.integer({ min: 0, max: bufferBytes });
  fc.assert(
    fc.property(fc.oneof(content, newlines), offset, offset, (bytes, one, other) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      fast.buffer.set(bytes);
      plain.buffer.set(bytes);
      expect(fast.count(from, to)).toBe(plain.count(from, to));
    }),
  );
});

it("counts a buffer full of newlines, and none in an empty range", () => {
  const counter = openNewlineCounter(200_000);
  counter.buffer.fill(10);
  expect([counter.count(0, 200_000), counter.count(5, 5), counter.count(3, 22)]).toEqual([200_000, 0, 19]);
});
