import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolError } from "../contract/error.ts";
import { anchorOf, cutPart, gatherParts, splitAnchor, wantedParts, wholeText } from "./anchors.ts";

const pages = { one: "page", total: 12, name: "a.pdf" };

describe("anchors", () => {
  it("accept parts in every common notation", () => {
    const asked = [
      undefined,
      "",
      "page 3",
      "3",
      "Pages 2-5",
      "pages 2 – 5",
      "pages 2 to 5",
      "10-",
      "pages 10-99",
    ];
    expect(asked.map((part) => wantedParts(part, pages))).toEqual([
      { first: 1, last: 12, from: 1 },
      { first: 1, last: 12, from: 1 },
      { first: 3, last: 3, from: 1 },
      { first: 3, last: 3, from: 1 },
      { first: 2, last: 5, from: 1 },
      { first: 2, last: 5, from: 1 },
      { first: 2, last: 5, from: 1 },
      { first: 10, last: 12, from: 1 },
      { first: 10, last: 12, from: 1 },
    ]);
    expect(wantedParts("pages 3- from 500", pages)).toEqual({ first: 3, last: 12, from: 500 });
  });

  it("that do not exist are refused with a list of available parts", () => {
    const asked = ["page 13", "page 0", "slide 2", "pages 5-2", "all of it"];
    for (const part of asked) expect(() => wantedParts(part, pages)).toThrow(ToolError);
    expect(failure(() => wantedParts("page 13", pages))).toEqual({
      code: "not-found",
      message: 'a.pdf has no part "page 13": it has 12 pages',
      hint: 'Use one of: "page 1", or "pages 1-5".',
    });
  });

  it("are printed in a form that can be requested", () => {
    const wanted = [
      { first: 3, last: 3, from: 1 },
      { first: 3, last: 5, from: 1 },
      { first: 3, last: 12, from: 1 },
      { first: 12, last: 12, from: 400 },
    ];
    const anchors = wanted.map((parts) => anchorOf(parts, pages));
    expect(anchors).toEqual(["page 3", "pages 3-5", "pages 3-", "page 12 from 400"]);
    expect(anchors.map((anchor) => wantedParts(anchor, pages))).toEqual(wanted);
  });

  it("keep names unchanged", () => {
    expect(["Sheet from 2019!A1", "From 7", "Sheet1!A1:B2 from 12"].map(splitAnchor)).toEqual([
      { anchor: "Sheet from 2019!A1", from: 1 },
      { anchor: undefined, from: 7 },
      { anchor: "Sheet1!A1:B2", from: 12 },
    ]);
  });
});

describe("parts", () => {
  it("are returned as far as they fit, with how to continue", async () => {
    const text = (number: number) => ({ anchor: `page ${number}`, text: String(number).repeat(10) });
    const gather = (part: string | undefined, maxChars: number) =>
      gatherParts({ part, maxChars }, pages, text);
    expect([await gather(undefined, 35), await gather("pages 4-6", 35), await gather("page 4", 35)]).toEqual([
      { parts: [text(1), text(2)], next: "pages 3-" },
      { parts: [text(4), text(5)], next: "page 6" },
      { parts: [text(4)], next: undefined },
    ]);
    expect(await gather("pages 4-6", 4)).toEqual({
      parts: [{ anchor: "page 4", text: "4444" }],
      next: "pages 4-6 from 5",
    });
  });

  it("without text are limited in number", async () => {
    const order = { one: "page", total: 1_000_000, name: "a" };
    const { parts, next } = await gatherParts({ maxChars: 40 }, order, (number) => ({
      anchor: `page ${number}`,
      text: "",
    }));
    expect([parts.length, next]).toEqual([6, "pages 7-"]);
  });

  it("add up to the whole text, wherever they were cut", async () => {
    const document = fc.array(
      fc.string({ unit: fc.constantFrom("a", " ", "\n", "é", "😀", "e\u0301"), maxLength: 60 }),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    await fc.assert(
      fc.asyncProperty(document, fc.integer({ min: 1, max: 40 }), async (texts, maxChars) => {
        const order = { one: "page", total: texts.length, name: "a" };
        const found = texts.map(() => "");
        let part: string | undefined;
        do {
          const { parts, next } = await gatherParts({ part, maxChars }, order, (number) => ({
            anchor: `page ${number}`,
            text: texts[number - 1]!,
          }));
          for (const { anchor, text } of parts) found[Number(anchor.slice(5)) - 1] += text;
          if (next !== undefined) expect(next).not.toBe(part);
          part = next;
        } while (part !== undefined);
        expect(found).toEqual(texts);
      }),
    );
  });

  it("are cut between lines or words when that costs little", () => {
    const cut = (text: string, maxChars: number) => cutPart({ anchor: "", text }, 1, maxChars);
    expect([cut("one two\nthree four", 9), cut("one two three", 9), cut("abcdefghijkl", 9)]).toEqual([
      { part: { anchor: "", text: "one two\n" }, next: 9 },
      { part: { anchor: "", text: "one two " }, next: 9 },
      { part: { anchor: "", text: "abcdefghi" }, next: 10 },
    ]);
  });

  it("cannot start after their end", async () => {
    expect(failure(() => wholeText("hello", { part: "from 6", maxChars: 3 }, "a"))).toEqual({
      code: "not-found",
      message: 'a has no part "from 6": it ends at character 5',
      hint: undefined,
    });
    const order = { one: "page", total: 2, name: "a" };
    const gather = (part: string) =>
      gatherParts({ part, maxChars: 3 }, order, (number) => ({ anchor: `page ${number}`, text: "hello" }));
    await expect(gather("from 6")).rejects.toMatchObject({
      code: "not-found",
      message: 'a has no part "pages 1- from 6": page 1 ends at character 5',
      hint: 'Use one of: "page 2".',
    });
    await expect(gather("page 2 from 6")).rejects.toMatchObject({
      message: 'a has no part "page 2 from 6": page 2 ends at character 5',
      hint: 'Use one of: "page 2".',
    });
  });

  it("do not exist in a document that is a single text", () => {
    expect(wholeText("hello world", { part: "from 7", maxChars: 3 }, "a")).toEqual({
      parts: [{ anchor: "", text: "wor" }],
      next: "from 10",
    });
    expect(failure(() => wholeText("hello", { part: "page 1", maxChars: 3 }, "a"))).toEqual({
      code: "not-found",
      message: 'a has no part "page 1": it has no parts',
      hint: 'Use one of: "from 40001".',
    });
  });
});

function failure(run: () => unknown) {
  try {
    run();
  } catch (error) {
    if (error instanceof ToolError) return { code: error.code, message: error.message, hint: error.hint };
    throw error;
  }
  throw new Error("It did not fail");
}
