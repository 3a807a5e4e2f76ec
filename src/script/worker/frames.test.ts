import { describe, expect, it } from "vitest";
import { encodeFrame, FrameReader } from "./frames.ts";

const whole = Buffer.concat([
  encodeFrame({ id: 1 }, "Grüße", new Uint8Array([1, 2])),
  encodeFrame({ id: 2 }, ""),
  encodeFrame({ id: 3 }, "x".repeat(1_000)),
]);

function readIn(chunkBytes: number): unknown[] {
  const reader = new FrameReader(10_000);
  const frames = [];
  for (let at = 0; at < whole.length; at += chunkBytes)
    frames.push(...reader.push(whole.subarray(at, at + chunkBytes)));
  return frames.map(({ header, body }) => [header, body.toString("latin1")]);
}

describe("frames", () => {
  it("arrive whole and in order, however their bytes are split", () => {
    const expected = [
      [{ id: 1 }, `${Buffer.from("Grüße").toString("latin1")}\x01\x02`],
      [{ id: 2 }, ""],
      [{ id: 3 }, "x".repeat(1_000)],
    ];
    for (const chunkBytes of [1, 7, 8, 9, 100, whole.length])
      expect(readIn(chunkBytes), String(chunkBytes)).toEqual(expected);
  });

  it("are refused when they are too long or have no header", () => {
    expect(() => new FrameReader(100).push(encodeFrame({}, "x".repeat(100)))).toThrow(
      "A frame has 110 bytes",
    );
    expect(() => new FrameReader(100).push(Buffer.alloc(8))).toThrow(SyntaxError);
  });
});
