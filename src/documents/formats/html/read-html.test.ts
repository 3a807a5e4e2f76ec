import { describe, expect, it } from "vitest";
import type { DocumentContent, DocumentWanted } from "../../../contract/document.ts";
import { Budget } from "../../budget.ts";
import { boundContent } from "../../read-document.ts";
import { readHtml } from "./read-html.ts";

const text = "A sentence of a page that is long enough to have sections. ";
const chapter = (number: number) => `<h2>Chapter ${number}</h2>${`<p>${text.repeat(20)}</p>`.repeat(5)}`;
const long = `<nav>Menu of the site</nav><main>${[1, 2, 3].map(chapter).join("")}</main>`;

async function read(
  html: string | Uint8Array,
  wanted: Partial<DocumentWanted> = {},
  source: { readonly name?: string; readonly mediaType?: string } = {},
): Promise<DocumentContent> {
  const name = source.name ?? "page.html";
  const context = { budget: new Budget(name), signal: new AbortController().signal, progress: () => {} };
  const bytes = typeof html === "string" ? Buffer.from(html) : html;
  return boundContent(
    await readHtml({ name, bytes, mediaType: source.mediaType }, { maxChars: 40_000, ...wanted }, context),
  );
}

const anchors = ({ parts, next }: DocumentContent) => [
  ...parts.map(({ anchor, title }) => [anchor, title]),
  next,
];

describe("readHtml", () => {
  it("shows a short page as one part, and notes what was left out", async () => {
    expect(await read('<title>T</title><nav>Menu</nav><p>Text <a href="b">b</a></p>')).toEqual({
      format: "html",
      description: "web page",
      properties: { title: "T" },
      consistsOf: undefined,
      parts: [{ anchor: "", text: "Text [b](b)" }],
      next: undefined,
      notes: ['4 characters around it (navigation and the like) left out. `part` "whole page" shows all.'],
      images: [],
    });
  });

  it("resolves links against the URL of the page", async () => {
    const { parts } = await read('<a href="b">b</a>', {}, { name: "https://example.com/x/a" });
    expect(parts).toEqual([{ anchor: "", text: "[b](https://example.com/x/b)" }]);
  });

  it("shows a long page in sections that begin at headings", async () => {
    expect([
      anchors(await read(long)),
      anchors(await read(long, { maxChars: 14_000 })),
      anchors(await read(long, { part: "sections 2-3" })),
      (await read(long, { part: "section 2" })).consistsOf,
    ]).toEqual([
      [["", undefined], undefined],
      [["section 1", "Chapter 1"], ["section 2", "Chapter 2"], "section 3"],
      [["section 2", "Chapter 2"], ["section 3", "Chapter 3"], undefined],
      { one: "section", total: 3 },
    ]);
    await expect(read(long, { part: "section 4" })).rejects.toThrow(
      'page.html has no part "section 4": it has 3 sections',
    );
  });

  it("loses nothing between sections", async () => {
    const whole = (await read(long)).parts[0]!.text;
    const { parts } = await read(long, { part: "sections 1-3" });
    expect(parts.map((part) => part.text).join("\n\n")).toBe(whole);
  });

  it("shows the whole page on request, and continues it", async () => {
    const whole = await read(long, { part: "whole page", maxChars: 8000 });
    expect([anchors(whole), whole.parts[0]!.text.startsWith("Menu of the site"), whole.notes]).toEqual([
      [["whole section 1", "Chapter 1"], "whole sections 2-"],
      true,
      [],
    ]);
    expect(anchors(await read(long, { part: "whole sections 2-", maxChars: 8000 }))).toEqual([
      ["whole section 2", "Chapter 2"],
      "whole section 3",
    ]);
    expect(anchors(await read("<p>abc", { part: "whole page", maxChars: 2 }))).toEqual([
      ["whole page", undefined],
      "whole page from 3",
    ]);
  });

  it("uses the character set that the server or the page declares", async () => {
    const stated = await read(Buffer.from('<meta charset="windows-1251"><p>\xef\xf0', "latin1"));
    const served = await read(
      Buffer.from("<p>\xe9", "latin1"),
      {},
      { mediaType: "text/html; charset=iso-8859-1" },
    );
    expect([stated.parts[0]!.text, served.parts[0]!.text]).toEqual(["пр", "é"]);
  });

  it("reports that a page has no text", async () => {
    const { parts, notes } = await read("<script>draw()</script>");
    expect([parts, notes]).toEqual([
      [{ anchor: "", text: "" }],
      ["The page has no text: perhaps a script writes it."],
    ]);
  });
});
