import { describe, expect, it } from "vitest";
import { makeZip } from "../../../test/support/documents/make-zip.ts";
import { failureOf, readBytes } from "../../../test/support/documents/read-bytes.ts";
import { allText, readSample, secondReading, wordsOf } from "../../../test/support/documents/samples.ts";

describe("a book", () => {
  it("is read in the order of its spine, with the titles from its table of contents", async () => {
    expect(await readSample("book.epub")).toEqual({
      format: "epub",
      description: "EPUB book",
      properties: {
        title: "Quays & tides",
        author: "Ada Writer",
        language: "en",
        identifier: "urn:toolcrib:quays",
      },
      consistsOf: { one: "chapter", total: 2 },
      parts: [
        {
          anchor: "chapter 1",
          title: "The beginning",
          text: "# The beginning\n\nIt rained on the *old* quay.",
        },
        {
          anchor: "chapter 2",
          title: "The end",
          text: "# The end\n\n- a lamp\n- a pencil\n\n| Quay | Depth |\n| --- | --- |\n| North | 4.9 |\n\nThe sun came & stayed.",
        },
      ],
      next: undefined,
      notes: [],
      images: [],
    });
  });

  it("in EPUB 3 takes titles from its links", async () => {
    const { parts } = await readSample("planned.epub", { part: "chapters 2-4" });
    expect(parts.map(({ anchor, title }) => [anchor, title])).toEqual([
      ["chapter 2", "Plans"],
      ["chapter 3", "Two columns"],
      ["chapter 4", "Table"],
    ]);
  });

  it.each(["book", "planned"])("has the same words as ebooklib and lxml in %s", async (name) => {
    const ours = allText(await readSample(`${name}.epub`));
    expect(wordsOf(ours)).toEqual(wordsOf(secondReading(`${name}.epub`, "ebooklib")));
  });

  const container =
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="o/p.opf"/></rootfiles></container>';
  const opf = `<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a%20b.xhtml"/><item id="c" href="../../c.xhtml"/></manifest><spine><itemref idref="a"/><itemref idref="c"/><itemref idref="none"/></spine></package>`;
  const book = (...others: { name: string; content: string }[]) =>
    makeZip([
      { name: "mimetype", content: "application/epub+zip", method: 0 },
      { name: "META-INF/container.xml", content: container },
      { name: "o/p.opf", content: opf },
      ...others,
    ]);

  it("lists missing chapters, and looks for none outside itself", async () => {
    const bytes = book({ name: "o/a b.xhtml", content: "<p>Here</p>" });
    const { parts, notes } = await readBytes("x.epub", bytes);
    expect([parts, notes]).toEqual([
      [
        { anchor: "chapter 1", title: undefined, text: "Here" },
        { anchor: "chapter 2", title: undefined, text: "" },
      ],
      ["chapter 2 is missing in the file (c.xhtml)"],
    ]);
  });

  it("with a damaged table of contents is read without it", async () => {
    const nav = '<item id="n" href="n.xhtml" properties="nav"/>';
    const { parts, notes } = await readBytes(
      "x.epub",
      makeZip([
        { name: "mimetype", content: "application/epub+zip", method: 0 },
        { name: "META-INF/container.xml", content: container },
        { name: "o/p.opf", content: opf.replace("<manifest>", `<manifest>${nav}`) },
        { name: "o/n.xhtml", content: '<html xmlns="http://www.w3.org/1999/xhtml"><a href="c">x</b></html>' },
        { name: "o/a b.xhtml", content: "<!DOCTYPE html [\n<!ENTITY a 'b'> ] >\n<p>Here &a;</p>" },
        { name: "c.xhtml", content: "<p>There</p>" },
      ]),
    );
    expect([parts.map(({ text }) => text), notes]).toEqual([
      ["Here \\&a;", "There"],
      ["the table of contents is damaged: titles of chapters may be missing"],
    ]);
  });

  it("is refused when protected, and read when only fonts are obfuscated", async () => {
    const scrambled = (part: string) => ({
      name: "META-INF/encryption.xml",
      content: `<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#"><CipherData><CipherReference URI="${part}"/></CipherData></EncryptedData></encryption>`,
    });
    const chapter = { name: "o/a b.xhtml", content: "<p>Here</p>" };
    const font = await readBytes("x.epub", book(chapter, scrambled("o/font.otf")), { part: "chapter 1" });
    expect([
      font.parts.map(({ text }) => text),
      await failureOf(readBytes("x.epub", book(chapter, scrambled("o/a%20b.xhtml")))),
    ]).toEqual([
      ["Here"],
      ["unsupported", "x.epub is protected against copying (DRM): its text cannot be read"],
    ]);
  });
});
