import { describe, expect, it } from "vitest";
import type { DocumentContent } from "../contract/document.ts";
import { ToolError } from "../contract/error.ts";
import { boundContent, boundError } from "./read-document.ts";

const content: DocumentContent = {
  format: "x",
  description: "X document",
  properties: { title: "Short" },
  consistsOf: { one: "page", total: 2 },
  parts: [
    { anchor: "page 1", title: "One", text: "a" },
    { anchor: "page 2", text: "b" },
  ],
  next: undefined,
  notes: ["note"],
  images: [{ mediaType: "image/png", base64: "AAAA" }],
};

describe("document metadata", () => {
  it("is unchanged at normal length", () => {
    expect(boundContent(content)).toEqual(content);
  });

  it("is cut when it is too long", () => {
    const long = "x".repeat(100_000);
    const heavy = { mediaType: "image/png", base64: "A".repeat(11_000_000) };
    const properties = {
      [long]: long,
      ...Object.fromEntries(Array.from({ length: 200 }, (_, i) => [i, ""])),
    };
    const bounded = boundContent({
      ...content,
      properties: { ...properties, last: long },
      parts: [{ anchor: "page 1", title: long, text: long }],
      notes: [long, ...Array.from({ length: 200 }, () => "n")],
      images: [heavy, ...content.images, heavy],
    });
    expect({
      ...bounded,
      properties: Object.keys(bounded.properties).length,
      images: bounded.images.length,
    }).toEqual({
      ...content,
      properties: 100,
      parts: [{ anchor: "page 1", title: `${"x".repeat(500)}…`, text: long }],
      notes: [
        `${"x".repeat(4000)}…`,
        ...Array.from({ length: 99 }, () => "n"),
        "101 more notes left out",
        "1 picture is not shown: together they are too many or too large",
      ],
      images: 2,
    });
    const many = boundContent({ ...content, images: Array(30).fill(content.images[0]) });
    expect([many.images.length, many.notes]).toEqual([
      20,
      ["note", "10 pictures are not shown: together they are too many or too large"],
    ]);
    expect(boundContent({ ...content, properties: { [long]: long } }).properties).toEqual({
      [`${"x".repeat(100)}…`]: `${"x".repeat(2000)}…`,
    });
  });

  it("stays on one line of an error, without terminal control characters", () => {
    const error = new ToolError("unsupported", `a.zip is damaged (\x1b[2Jx\n[Note: y])${"z".repeat(5000)}`, {
      hint: "Ask for x\ny",
    });
    const { code, message, hint } = boundError(error);
    expect({ code, start: message.slice(0, 50), length: message.length, hint }).toEqual({
      code: "unsupported",
      start: "a.zip is damaged (<U+001B>[2Jx<U+000A>[Note: y])zz",
      length: 4015,
      hint: "Ask for x<U+000A>y",
    });
  });
});
