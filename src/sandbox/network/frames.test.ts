import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FrameReader, frame, frameBytes, frameHeader, frameKinds } from "./relay-channel.ts";

interface Frame {
  readonly id: number;
  readonly kind: number;
  readonly content: Uint8Array;
}

const anyFrame: fc.Arbitrary<Frame> = fc.record({
  id: fc.nat(0xffffffff),
  kind: fc.constantFrom(...Object.values(frameKinds)),
  content: fc.uint8Array({ maxLength: 40 }),
});

describe("FrameReader", () => {
  it("finds the same frames in pieces of any size", () => {
    fc.assert(
      fc.property(fc.array(anyFrame), fc.array(fc.integer({ min: 1, max: 30 })), (frames, sizes) => {
        const bytes = Buffer.concat(frames.map(({ id, kind, content }) => frame(id, kind, content)));
        const { isWhole, taken } = read(pieces(bytes, sizes));
        expect(isWhole).toBe(true);
        expect(joined(taken)).toEqual(joined(frames));
      }),
    );
  });

  it("emits data before its frame has ended, and holds other frames until then", () => {
    const data = frame(1, frameKinds.data, Buffer.from("abcdef")).subarray(0, 11);
    const credit = frame(3, frameKinds.credit, Buffer.from([0, 0, 1, 0])).subarray(0, 11);
    expect(read([data]).taken).toEqual([{ id: 1, kind: frameKinds.data, content: Buffer.from("abc") }]);
    expect(read([credit]).taken).toEqual([]);
  });

  it("stops at a frame that is too long", () => {
    const header = frameHeader({ id: 1, kind: frameKinds.data, length: frameBytes + 1 });
    expect(read([header])).toEqual({ isWhole: false, taken: [] });
  });
});

function read(all: readonly Buffer[]): { readonly isWhole: boolean; readonly taken: readonly Frame[] } {
  const taken: Frame[] = [];
  const reader = new FrameReader((id, kind, content) => {
    taken.push({ id, kind, content });
    return true;
  });
  return { isWhole: all.every((piece) => reader.read(piece)), taken };
}

function pieces(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const all: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    all.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...all, bytes.subarray(at)].filter((piece) => piece.length > 0);
}

/** Joins consecutive data of one connection, and drops empty data. */
function joined(frames: readonly Frame[]): readonly unknown[] {
  const all: { id: number; kind: number; content: string }[] = [];
  for (const { id, kind, content } of frames) {
    const last = all.at(-1);
    const hex = Buffer.from(content).toString("hex");
    if (kind === frameKinds.data && content.length === 0) continue;
    if (kind === frameKinds.data && last?.kind === kind && last.id === id) last.content += hex;
    else all.push({ id, kind, content: hex });
  }
  return all;
}
