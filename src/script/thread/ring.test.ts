import { describe, expect, it } from "vitest";
import { Ring } from "./ring.ts";

describe("a ring", () => {
  it("passes on messages in order, however often it wraps around", () => {
    const memory = Ring.memory();
    const [writer, reader] = [new Ring(memory), new Ring(memory)];
    const text = (at: number) => "長い🦊\n".repeat((at * 37) % 1_500);
    let read = 0;
    for (let at = 0; at < 500; at++) {
      while (!writer.write([at, 500 - at, 3], text(at))) readOne();
      if (at % 3 === 0) readOne();
    }
    while (read < 500) readOne();
    expect(reader.read()).toBeUndefined();

    function readOne(): void {
      const message = reader.read();
      expect([message?.numbers, message?.bytes.toString("utf8")]).toEqual([
        [read, 500 - read, 3],
        text(read),
      ]);
      read += 1;
    }
  });

  it("refuses a message that does not fit, and keeps the others", () => {
    const memory = Ring.memory();
    const [writer, reader] = [new Ring(memory), new Ring(memory)];
    expect(writer.write([1, 0, 0], "x".repeat(300_000))).toBe(false);
    expect(writer.write([2, 0, 0], "short")).toBe(true);
    expect(reader.read()).toEqual({ numbers: [2, 0, 0], bytes: Buffer.from("short") });
  });
});
