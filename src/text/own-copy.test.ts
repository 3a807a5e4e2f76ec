import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { ownCopy } from "./own-copy.ts";

it("is the same text, also with half a character in it", () => {
  const texts = ["", "a", "вя 😀\0\r\n", "😀".slice(1), "é".repeat(1000)];
  expect(texts.map(ownCopy)).toEqual(texts);
});

it("does not keep what it was cut out of", () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const held = (take: (piece: string) => string) => {
    collect();
    const before = process.memoryUsage().external;
    const pieces = Array.from({ length: 20 }, () =>
      take(Buffer.alloc(5_000_000, "a").toString("latin1").slice(0, 1000)),
    );
    collect();
    return { pieces, isMuch: process.memoryUsage().external - before > 50_000_000 };
  };
  expect([held((piece) => piece).isMuch, held(ownCopy).isMuch]).toEqual([true, false]);
});
