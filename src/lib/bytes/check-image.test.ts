import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { imageProblem, imageTokens } from "./check-image.ts";

const sample = (name: string) =>
  readFileSync(new URL(`../../../test/samples/documents/${name}`, import.meta.url));
const png = sample("photo.png");
const image = (mediaType: string, bytes: Uint8Array) => ({
  mediaType,
  base64: Buffer.from(bytes).toString("base64"),
});

/** A PNG image whose header claims another size. */
function sized(width: number, height: number): Buffer {
  const copy = Buffer.from(png);
  copy.writeUInt32BE(width, 16);
  copy.writeUInt32BE(height, 20);
  return copy;
}

describe("an image for models", () => {
  it.each([
    ["image/png", "photo.png"],
    ["image/jpeg", "photo.jpg"],
    ["image/webp", "photo.webp"],
  ])("of the type %s is accepted", (mediaType, name) => {
    expect(imageProblem(image(mediaType, sample(name)))).toBeUndefined();
  });

  it.each([
    [
      "claims a huge size",
      "image/png",
      sized(60_000, 60_000),
      "it has 60000 × 60000 pixels, and models accept at most 8000 on a side",
    ],
    ["claims no size", "image/png", sized(0, 10), "it is damaged: its header has no size"],
    ["is only a signature", "image/png", png.subarray(0, 10), "it is damaged: its header has no size"],
    ["ends too early", "image/png", png.subarray(0, -6), "it is damaged: its end is missing"],
    [
      "ends too early",
      "image/jpeg",
      sample("photo.jpg").subarray(0, 700),
      "it is damaged: its header has no size",
    ],
    [
      "ends too early",
      "image/webp",
      sample("photo.webp").subarray(0, -20),
      "it is damaged: its end is missing",
    ],
    ["has another type than declared", "image/jpeg", png, "it is not an image of the type image/jpeg"],
    [
      "is a program with the name of an image",
      "image/png",
      Buffer.from("#!/bin/sh\n"),
      "it is not an image of the type image/png",
    ],
    ["is a vector image", "image/svg+xml", Buffer.from("<svg/>"), "models cannot see image/svg+xml"],
    [
      "is too large",
      "image/png",
      Buffer.concat([png, Buffer.alloc(4_000_000)]),
      "it has more than 3840 kB, the most that models accept",
    ],
  ])("that %s is refused (%s)", (_, mediaType, bytes, problem) => {
    expect(imageProblem(image(mediaType, bytes))).toBe(problem);
  });

  it("whose chunks never end is checked in one pass", () => {
    const endless = Buffer.concat([png.subarray(0, 33), Buffer.alloc(3_000_000)]);
    expect(imageProblem(image("image/png", endless))).toBe("it is damaged: its end is missing");
  });

  it("costs tokens by its pixels, within bounds", () => {
    const tokens = (width: number, height: number) => imageTokens(image("image/png", sized(width, height)));
    expect([tokens(10, 10), tokens(1_000, 1_000), tokens(8_000, 8_000)]).toEqual([85, 1_334, 4_800]);
    expect(imageTokens(image("image/png", Buffer.from("?")))).toBe(1_600);
  });
});
