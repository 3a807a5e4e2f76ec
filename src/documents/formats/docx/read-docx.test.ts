import { describe, expect, it } from "vitest";
import { makeZip } from "../../../../test/support/documents/make-zip.ts";
import { failureOf, readBytes } from "../../../../test/support/documents/read-bytes.ts";
import {
  allText,
  readSample,
  sampleBytes,
  secondReading,
  wordsOf,
} from "../../../../test/support/documents/samples.ts";

describe("a document written by Word", () => {
  it("is read with changes accepted, each box once, with fields, symbols, equations and localized styles", async () => {
    const { parts, notes } = await readSample("word.docx");
    expect([parts, notes]).toEqual([
      [
        {
          anchor: "",
          text: `# Words of Word

# Changes

Kept inserted.

Two halves of one sentence.

# Fields and signs

See [the field](https://example.org/field)

Done ✓, angle α‑minus

(a+b)/(c^2)

Hidden words

Before the page
after it

Anchor

Boxed once

# Lists

1. one
2. two
- dot
- inner dot
3. three

## Tables

| a1 | b1 | c1 |
|---|---|---|
| a2<br>b2 | | c2 |
| a3 | b3 | c3<br>x ; y |

The last words.`,
        },
      ],
      ["has 3 tracked changes, shown as accepted", "has hidden text in 1 place, shown like the rest"],
    ]);
  });

  it("has the same words as pandoc, except for the title, TeX and boxes", async () => {
    const ours = allText(await readSample("word.docx"));
    expect(wordsOf(ours, ["# Words of Word", "Boxed once"])).toEqual(
      wordsOf(secondReading("word.docx", "pandoc").replace("\\frac", "")),
    );
  });
});

describe("a document", () => {
  it("numbers list items as Word does: levels, formats, restarts, legal numbers", async () => {
    const level = (at: number, format: string, text: string, more = "") =>
      `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/>${more}</w:lvl>`;
    const numbering = `<w:numbering ${word}><w:abstractNum w:abstractNumId="0">${level(0, "upperRoman", "%1.")}${level(1, "lowerLetter", "%2)")}${level(2, "decimal", "%1.%2.%3", "<w:isLgl/>")}</w:abstractNum><w:abstractNum w:abstractNumId="1">${level(0, "bullet", "o")}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num><w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num></w:numbering>`;
    const item = (text: string, list: number, at = 0) =>
      `<w:p><w:pPr><w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${list}"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
    const body = [
      item("one", 1),
      item("inner", 1, 1),
      item("more", 1, 1),
      item("deep", 1, 2),
      item("two", 1),
      item("again", 1, 1),
      item("dot", 3),
      item("seven", 2),
      item("none", 0),
    ];
    expect(await textOf(docx(body.join(""), { "word/numbering.xml": numbering }))).toBe(
      "I. one\n  a) inner\n  b) more\n    1.2.1 deep\nII. two\n  a) again\n- dot\nVII. seven\n\nnone",
    );
  });

  it("takes headings from styles, their base styles, and paragraphs", async () => {
    const style = (id: string, name: string, more = "") =>
      `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`;
    const styles = `<w:styles ${word}>${style("a", "heading 2")}${style("b", "Mine", '<w:basedOn w:val="a"/>')}${style("c", "Looped", '<w:basedOn w:val="d"/>')}${style("d", "Loop", '<w:basedOn w:val="c"/>')}${style("e", "Outlined", '<w:pPr><w:outlineLvl w:val="2"/></w:pPr>')}</w:styles>`;
    const paragraph = (text: string, properties: string) =>
      `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
    const body = [
      paragraph("by name", '<w:pStyle w:val="a"/>'),
      paragraph("by base", '<w:pStyle w:val="b"/>'),
      paragraph("by outline", '<w:pStyle w:val="e"/>'),
      paragraph("by itself", '<w:outlineLvl w:val="0"/>'),
      paragraph("not any more", '<w:pStyle w:val="a"/><w:outlineLvl w:val="9"/>'),
      paragraph("in circles", '<w:pStyle w:val="c"/>'),
    ];
    expect(await textOf(docx(body.join(""), { "word/styles.xml": styles }))).toBe(
      "## by name\n\n## by base\n\n### by outline\n\n# by itself\n\nnot any more\n\nin circles",
    );
  });

  it("shows the comments on its footnotes after them", async () => {
    const text = (content: string, more = "") => `<w:p><w:r><w:t>${content}</w:t>${more}</w:r></w:p>`;
    const cite = (kind: string, id: number) => `<w:${kind}Reference w:id="${id}"/>`;
    const kinds = ["footnotes", "comments"];
    const relations = kinds.map(
      (kind) =>
        `<Relationship Id="${kind}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${kind}" Target="${kind}.xml"/>`,
    );
    const body = text("Body", cite("comment", 8) + cite("footnote", 1)) + text("after");
    const parts = {
      "word/_rels/document.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relations.join("")}</Relationships>`,
      "word/footnotes.xml": `<w:footnotes ${word}><w:footnote w:id="1">${text("note", cite("comment", 7))}</w:footnote></w:footnotes>`,
      "word/comments.xml": `<w:comments ${word}><w:comment w:id="7" w:author="Eve">${text("on the note")}</w:comment><w:comment w:id="8" w:author="Ann">${text("on the body")}</w:comment></w:comments>`,
    };
    expect(await textOf(docx(body, parts))).toBe(`Body[^comment-2][^1]

after

[^comment-2]: comment by Ann: on the body
[^1]: note[^comment-1]
[^comment-1]: comment by Eve: on the note`);
  });

  it("keeps text inside a field that never ends", async () => {
    const body =
      '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r></w:p><w:p><w:r><w:t>still there</w:t></w:r></w:p>';
    expect(await textOf(docx(body))).toBe("still there");
  });

  it("is recognized by namespaces, not by prefixes", async () => {
    const strict = "http://purl.oclc.org/ooxml/wordprocessingml/main";
    const document = `<document xmlns="${strict}" xmlns:q="${strict}"><body><p><q:r><t>plain</t></q:r></p></body></document>`;
    expect(await textOf(makeZip([...around(), { name: "word/document.xml", content: document }]))).toBe(
      "plain",
    );
  });

  it("has sections that begin at headings, and can be requested by number or heading", async () => {
    const paragraph = (text: string, properties = "") =>
      `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
    const long = "many words ".repeat(400);
    const bytes = docx(
      paragraph("Begin", '<w:outlineLvl w:val="0"/>') +
        paragraph(long) +
        paragraph("Middle of it", '<w:outlineLvl w:val="0"/>') +
        paragraph(long).repeat(5) +
        paragraph("End", '<w:outlineLvl w:val="1"/>'),
    );
    const whole = await readBytes("x.docx", bytes, { maxChars: 100_000 });
    expect([whole.consistsOf, whole.parts.map(({ anchor, title }) => [anchor, title])]).toEqual([
      { one: "section", total: 4 },
      [
        ["section 1", "Begin"],
        ["section 2", "Middle of it"],
        ["section 3", "Middle of it (continued)"],
        ["section 4", "End"],
      ],
    ]);
    const asked = await Promise.all(
      ["section 2", "middle  OF it", "sections 3-", "2 from 13000"].map((part) =>
        readBytes("x.docx", bytes, { part }),
      ),
    );
    expect(asked.map(({ parts, next }) => [parts.map(({ anchor }) => anchor), next])).toEqual([
      [["section 2"], undefined],
      [["section 2"], undefined],
      [["section 3", "section 4"], undefined],
      [["section 2"], undefined],
    ]);
    expect(await failureOf(readBytes("x.docx", bytes, { part: "page 2" }))).toEqual([
      "not-found",
      'x.docx has no part "page 2": it has no pages of its own, but 4 sections',
    ]);
  });
});

describe("a hostile document", () => {
  it.each([
    [
      "is nested too deeply",
      docx("<w:p>".repeat(100_000)),
      ["too-large", "x.docx is too large to read: it is nested deeper than 512"],
    ],
    [
      "is incomplete",
      docx("<w:p><w:r><w:t>half"),
      ["unsupported", "word/document.xml in x.docx is damaged: <w:t> is not ended (at character 110)"],
    ],
    [
      "has no text",
      makeZip([...around(), { name: "word/styles.xml", content: "<a/>" }]),
      ["unsupported", "x.docx is damaged: word/document.xml is missing"],
    ],
    [
      "unpacks to more than the limit",
      docx(`<w:p>${" ".repeat(2_000_000)}</w:p>`),
      ["too-large", "x.docx is too large to read: it unpacks to more than 1.0 MB in one entry"],
    ],
    [
      "has a row of a million columns among a million rows",
      docx(
        `<w:tbl><w:tr>${'<w:tc><w:tcPr><w:gridSpan w:val="63"/></w:tcPr><w:p/></w:tc>'.repeat(2_000)}</w:tr>${"<w:tr><w:tc/></w:tr>".repeat(2_000)}</w:tbl>`,
      ),
      ["too-large", "x.docx is too large to read: it has more than 1000000 pieces"],
    ],
  ])("that %s is refused", async (_, bytes, failure) => {
    const limits = { entry: 1_000_000, pieces: 1_000_000 };
    expect(await failureOf(readBytes("x.docx", bytes, {}, limits))).toEqual(failure);
  });

  it("limits the length of list markers", async () => {
    const item =
      '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>x</w:t></w:r></w:p>';
    const level = `<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="${"%1.".repeat(100_000)}"/></w:lvl>`;
    const numbering = `<w:numbering ${word}><w:abstractNum w:abstractNumId="1">${level}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num></w:numbering>`;
    const text = await textOf(docx(item, { "word/numbering.xml": numbering }));
    expect(text).toBe(`${"1.".repeat(33)}% x`);
  });

  it("expands no entities", async () => {
    const bomb = `<!DOCTYPE w [<!ENTITY a "boom">${"<!ENTITY b '&a;&a;&a;&a;'>".repeat(10)}]>`;
    const document = `${bomb}<w:document ${word}><w:body><w:p><w:r><w:t>a &b; &lt;z</w:t></w:r></w:p></w:body></w:document>`;
    expect(await textOf(makeZip([...around(), { name: "word/document.xml", content: document }]))).toBe(
      "a &b; <z",
    );
  });

  it("is read or refused when cut or altered at any byte", { tags: "slow" }, async () => {
    const whole = sampleBytes("report.docx");
    for (let length = 0; length < whole.length; length += 97) {
      const cut = readBytes("x.docx", whole.subarray(0, length));
      expect((await failureOf(cut))[0]).toBe("unsupported");
      const changed = Buffer.from(whole);
      changed[length]! ^= 0x55;
      await readBytes("x.docx", changed).catch((error: { code?: string }) =>
        expect(error.code).toMatch(/^(?:unsupported|too-large)$/),
      );
    }
  });
});

const word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

function around(): { name: string; content: string }[] {
  return [{ name: "[Content_Types].xml", content: "<Types/>" }];
}

function docx(body: string, others: Readonly<Record<string, string>> = {}): Buffer {
  const document = `<w:document ${word}><w:body>${body}</w:body></w:document>`;
  const parts = { "word/document.xml": document, ...others };
  return makeZip([...around(), ...Object.entries(parts).map(([name, content]) => ({ name, content }))]);
}

async function textOf(bytes: Buffer): Promise<string> {
  return allText(await readBytes("x.docx", bytes));
}
