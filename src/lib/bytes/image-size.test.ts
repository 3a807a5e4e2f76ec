import { describe, expect, it } from "vitest";
import { imageSize } from "./image-size.ts";

const png = "iVBORw0KGgoAAAANSUhEUgAAAAcAAAAFCAIAAAAG+GGPAAAADElEQVR4XmNgoCcAAABuAAGxmO/SAAAAAElFTkSuQmCC";
const gif = "R0lGODlhBwAFAPAAAAAAAAAAACwAAAAABwAFAEAIDAABCBxIsKDBgwcDAgA7";
const bmp = "Qk2uAAAAAAAAADYAAAAoAAAABwAAAAUAAAABABgA";

describe("imageSize", () => {
  it("reads PNG, GIF and BMP", () => {
    const sizes = [png, gif, bmp].map((base64) => imageSize(Buffer.from(base64, "base64")));
    expect(sizes).toEqual([seven(), seven(), seven()]);
  });

  it("reads JPEG with other segments, tables that look like frames and fill bytes", () => {
    const application = "ffe000104a46494600010200000100010000";
    const table = "ffc40003aa";
    const frame = (marker: string) => `${marker}0011080005000703012200021101031101`;
    const sizes = ["ffc0", "ffc2"].map((marker) =>
      imageSize(Buffer.from(`ffd8${application}${table}ffff01${frame(marker)}`, "hex")),
    );
    expect(sizes).toEqual([seven(), seven()]);
  });

  it("reads the three kinds of WebP", () => {
    const lossy = "52494646000000005745425056503820000000003001009d012a07000500";
    const lossless = "5249464600000000574542505650384c000000002f06000100";
    const extended = "524946460000000057454250565038580a0000001000000006000004000041";
    const sizes = [lossy, lossless, extended].map((hex) => imageSize(Buffer.from(hex, "hex")));
    expect(sizes).toEqual([seven(), seven(), seven()]);
  });

  it("returns nothing for truncated images and other files", () => {
    const cut = Buffer.from(png, "base64").subarray(0, 20);
    const entropyData = Buffer.from("ffd8ffda0002aa", "hex");
    const unknownWebp = Buffer.from("RIFF\0\0\0\0WEBPJUNK", "latin1");
    const sizes = [cut, entropyData, unknownWebp, Buffer.from("text"), Buffer.alloc(0)].map(imageSize);
    expect(sizes).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });
});

function seven(): { width: number; height: number } {
  return { width: 7, height: 5 };
}
