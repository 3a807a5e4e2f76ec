import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { ownCopy } from "./own-copy.ts";

it("is the same text, also with half a character in it", () => {
  const texts = ["", "a", "вя 😀\0\r\n", "😀".slice(1), "é".repeat(1000)];
  expect(texts.map(ownCopy)).toEqual(texts);
});

it("does not keep what it was cut out of", async () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  collect();
  const before = process.memoryUsage().external;
  const copies = Array.from({ length: 20 }, () =>
    ownCopy(Buffer.alloc(5_000_000, "a").toString("latin1").slice(0, 1000)),
  );
  const heldBytes = () => process.memoryUsage().external - before;
  // What was collected is given back a little later, on a busy machine.
  for (let tries = 0; tries < 100 && heldBytes() >= 50_000_000; tries += 1) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect([copies.join("").length, heldBytes() < 50_000_000]).toEqual([20_000, true]);
});
