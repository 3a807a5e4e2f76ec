import { readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readBytes } from "../../../../test/support/documents/read-bytes.ts";
import { rounds } from "../../../../test/support/rounds.ts";
import { showSize } from "../../../lib/text/format-quantity.ts";

const samples = join(import.meta.dirname, "../../../../test/samples/documents");
const photos = {
  "photo.jpg": ["JPEG image", "image/jpeg", { Comment: "beside the picture" }],
  "photo.png": ["PNG image", "image/png", { Make: "Canon", Title: "Grüner Grund" }],
  "photo.tiff": ["TIFF image", undefined, {}],
  "photo.webp": ["WebP image", "image/webp", {}],
} as const;
const notShown = "the picture itself is not shown:";

describe("an image", () => {
  it.each(Object.entries(photos))(
    "%s has the metadata that exiftool finds",
    async (name, [description, mediaType, texts]) => {
      const bytes = readFileSync(join(samples, name));
      const [found] = JSON.parse(readFileSync(join(samples, `${name}.exiftool.txt`), "utf8"));
      const day = (time: string) => time.replace(/^(\d+):(\d+):/, "$1-$2-");
      expect(await readBytes(name, bytes)).toEqual({
        format: "image",
        description,
        properties: {
          size: `${found.ImageSize.replace(" ", " × ")} pixels`,
          bytes: showSize(bytes.length),
          title: found.ImageDescription,
          taken: `${day(found.DateTimeOriginal)} ${found.OffsetTimeOriginal}`,
          camera: found.Model,
          lens: found.LensModel,
          exposure: `1/${1 / found.ExposureTime} s, f/${found.FNumber}, ISO ${found.ISO}, ${found.FocalLength} mm`,
          orientation: "to be turned 90° clockwise",
          place: `${found.GPSLatitude.toFixed(6)}, ${found.GPSLongitude.toFixed(6)}, ${found.GPSAltitude} m above sea level`,
          artist: found.Artist,
          copyright: found.Copyright,
          software: found.Software,
          changed: day(found.ModifyDate),
          comment: found.UserComment,
          ...texts,
        },
        consistsOf: undefined,
        parts: [],
        next: undefined,
        notes: mediaType ? [] : [`${notShown} only PNG, JPEG, GIF and WebP are; convert it to one of them`],
        images: mediaType ? [{ mediaType, base64: bytes.toString("base64") }] : [],
      });
    },
  );

  it("is given to models unless excluded", async () => {
    const bytes = readFileSync(join(samples, "photo.png"));
    const { images, notes } = await readBytes("photo.png", bytes, { images: false });
    expect([images, notes]).toEqual([[], []]);
  });

  it("with huge dimensions or too many bytes is only described", { tags: "slow" }, async () => {
    const huge = await readBytes("huge.png", png(100_000, 100_000));
    expect([huge.properties, huge.notes, huge.images]).toEqual([
      { size: "100000 × 100000 pixels", bytes: "57 bytes" },
      [`${notShown} it has too many pixels; scale it down first`],
      [],
    ]);
    const heavy = await readBytes("heavy.png", Buffer.concat([png(1, 1), Buffer.alloc(11_000_000)]));
    expect([heavy.notes, heavy.images]).toEqual([
      [`${notShown} it is larger than 10 MB; scale it down first`],
      [],
    ]);
  });

  it("with animation reports its number of frames", async () => {
    const frame = "2c00000000010001000002024401003b".slice(0, -2);
    const gif = Buffer.from(`474946383961010001000000 00${frame}${frame}3b`.replace(" ", ""), "hex");
    expect((await readBytes("a.gif", gif)).properties).toEqual({
      size: "1 × 1 pixels",
      bytes: "44 bytes",
      frames: "2",
    });
  });

  it("leaves out compressed text, however large it unpacks", async () => {
    const chunk = pngChunk("zTXt", Buffer.concat([Buffer.from("Comment\0\0"), deflateSync("hello")]));
    expect(Object.keys((await readBytes("a.png", png(1, 1, chunk))).properties)).toEqual(["size", "bytes"]);
  });

  it("keeps at most 50 texts", async () => {
    const chunks = Array.from({ length: 60 }, (_, number) =>
      pngChunk("tEXt", Buffer.from(`key ${number}\0words`)),
    );
    const { properties } = await readBytes("a.png", png(1, 1, ...chunks));
    expect(Object.keys(properties)).toEqual([
      "size",
      "bytes",
      ...Array.from({ length: 50 }, (_, number) => `key ${number}`),
    ]);
  });

  it("has its comments cut, and binary tables skipped", async () => {
    const comment = Buffer.alloc(65_537, "c");
    comment.set([0xff, 0xfe, 0xff, 0xff]);
    const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8]), ...Array<Buffer>(100).fill(comment)]);
    expect((await readBytes("a.jpg", jpeg)).properties.Comment).toBe(`${"c".repeat(2000)}…`);
    const tags = Array.from({ length: 500 }, (_, number) => {
      const tag = Buffer.alloc(12);
      tag.writeUInt16LE(0x100 + number, 0);
      tag.writeUInt16LE(3, 2);
      tag.writeUInt32LE(30_000, 4);
      tag.writeUInt32LE(8, 8);
      return tag;
    });
    const head = Buffer.from("49492a0060ea0000", "hex");
    const tiff = Buffer.concat([head, Buffer.alloc(59_992, 1), Buffer.from([244, 1]), ...tags]);
    expect((await readBytes("a.tiff", tiff)).properties).toEqual({
      size: "257 × 257 pixels",
      bytes: "66 kB",
    });
  });

  it("is described or refused when cut or altered at any byte", { tags: "slow" }, async () => {
    const wrong: string[] = [];
    for (const name of Object.keys(photos)) {
      const whole = readFileSync(join(samples, name));
      for (let at = 16; at < whole.length; at += Math.ceil(7 / rounds(1))) {
        const other = Buffer.from(whole);
        other[at] = other[at]! ^ 0xff;
        for (const [how, bytes] of [
          ["cut", whole.subarray(0, at)],
          ["changed", other],
        ] as const)
          if ((await readBytes(name, bytes)).format !== "image") wrong.push(`${name} ${how} at ${at}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe("an SVG image", () => {
  it("is shown as text", async () => {
    const svg =
      '<?xml version="1.0"?>\n<!-- made by hand -->\n<svg width="10" height="20" viewBox="0 0 1 2"><text>Hi</text></svg>';
    const drawing = {
      format: "svg",
      description: "SVG drawing",
      properties: { size: "10 × 20", viewBox: "0 0 1 2" },
      consistsOf: undefined,
      parts: [{ anchor: "", text: svg }],
      next: undefined,
      notes: [],
      images: [],
    };
    expect([await readBytes("a.svg", svg), await readBytes("unnamed", svg)]).toEqual([drawing, drawing]);
  });
});

function png(width: number, height: number, ...chunks: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const mark = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([
    mark,
    pngChunk("IHDR", header),
    ...chunks,
    pngChunk("IDAT", Buffer.alloc(0)),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

function pngChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), content]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(content.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
