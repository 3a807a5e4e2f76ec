import { expect, it } from "vitest";
import { makePdf, stream } from "../../../../test/support/documents/make-pdf.ts";
import { failureOf, readBytes } from "../../../../test/support/documents/read-bytes.ts";
import {
  allText,
  readSample,
  sampleBytes,
  secondReading,
  wordsOf,
} from "../../../../test/support/documents/samples.ts";

const firstPage = `Tides
The water rises twice a day, as the tables say.
In the first column stands how the moon
pulls at the sea, and how the sea answers
six hours later than anybody would think
who has only read of it in books about the
sky.
Below it stands how harbours were built
where the difference was small, and how
ships waited for days in front of those
where it was not, with all that they
carried.
In the second column stands what was
measured: at noon, at midnight, and in
the hours between them, by people who
wrote down what they saw and not what
they expected.
And at its end stands that none of this
has changed since, though the
instruments have, and those who read
them now sleep at night.

Figures

| Quay | What is there | Depth |
|---|---|---|
| North | Ships with grain, which lie there until they are emptied, and sometimes longer than that | 12.5 |
| South \\| old | Nothing | 3 |

Links:
- [the tables](https://example.org/tides?a=1)`;

const secondPage = `The second page: Größe, Ελλάδα, “quoted” — 5 €.
• a lamp
• a pencil`;

it("reads columns one after the other, and tables by row", async () => {
  const { properties, ...content } = await readSample("paper.pdf");
  expect(content).toEqual({
    format: "pdf",
    description: "PDF document",
    consistsOf: { one: "page", total: 2 },
    parts: [
      { anchor: "page 1", text: firstPage },
      { anchor: "page 2", text: secondPage },
    ],
    next: undefined,
    notes: ["Outline: Tides (page 1); Figures (page 1)"],
    images: [],
  });
  expect(Object.keys(properties)).toEqual([
    "title",
    "author",
    "created",
    "software",
    "producer",
    "page size",
  ]);
});

it("has exactly the words that pdftotext finds", { tags: "slow" }, async () => {
  for (const name of ["paper.pdf", "turned.pdf"]) {
    const text = allText(await readSample(name)).replace(/Links:\n- .*/, "");
    expect([...wordsOf(text)].sort()).toEqual([...wordsOf(secondReading(name, "pdftotext"))].sort());
  }
});

it("reads the requested pages, and returns how to continue", async () => {
  const { parts, next, notes } = await readSample("paper.pdf", { part: "pages 2-" });
  expect({ parts, next, notes }).toEqual({
    parts: [{ anchor: "page 2", text: secondPage }],
    next: undefined,
    notes: [],
  });
  expect((await readSample("paper.pdf", { maxChars: firstPage.length })).next).toBe("page 2");
  expect(await failureOf(readSample("paper.pdf", { part: "page 3" }))).toEqual([
    "not-found",
    'paper.pdf has no part "page 3": it has 2 pages',
  ]);
});

it("shows annotations and form values, also when changes are forbidden", async () => {
  const form = await readSample("form.pdf");
  expect(form).toEqual({
    format: "pdf",
    description: "PDF document",
    properties: { title: "Order", created: "2026-11-14T08:30:00+01:00", "page size": "106 × 71 mm" },
    consistsOf: { one: "page", total: 1 },
    parts: [
      {
        anchor: "page 1",
        text: `Order of the harbour office

Notes:
- Cleo Reader: Is this still so?

Form:
- name = Ada Writer
- urgent = checked
- remark = (empty)`,
      },
    ],
    next: undefined,
    notes: [],
    images: [],
  });
  expect(await readSample("restricted.pdf")).toEqual({
    ...form,
    notes: ["encrypted with a password for changes only: reading needs none"],
  });
});

it("reads rotated text in its visible orientation", async () => {
  expect(allText(await readSample("turned.pdf"))).toBe(
    "First line of turned text\nSecond line\n\n| Name | Value |\n|---|---|\n| Ada | 12 |",
  );
});

it("shows a page that is only an image as an image", { tags: "slow" }, async () => {
  const { images, ...content } = await readSample("scan.pdf");
  expect(content).toEqual({
    format: "pdf",
    description: "PDF document",
    properties: { "page size": "71 × 71 mm" },
    consistsOf: { one: "page", total: 1 },
    parts: [{ anchor: "page 1", text: "(picture)" }],
    next: undefined,
    notes: ["page 1 is a picture without text", "page 1 is also shown as a picture"],
  });
  const [picture] = await Promise.all(
    images.map(({ mediaType, base64 }) =>
      readBytes("page.png", Buffer.from(base64, "base64"), { mediaType }),
    ),
  );
  expect(picture?.properties).toMatchObject({ size: "1000 × 1000 pixels" });
  expect((await readSample("scan.pdf", { images: false })).images).toEqual([]);
  expect((await readSample("form.pdf", { images: true })).images).toHaveLength(1);
});

it("refuses a file that needs a password", async () => {
  expect(await failureOf(readSample("locked.pdf"))).toEqual([
    "unsupported",
    "locked.pdf is encrypted: it cannot be read without its password",
  ]);
});

it("reads the rest of a damaged file with a note, or refuses it", async () => {
  const whole = sampleBytes("form.pdf");
  const cut = whole.subarray(0, whole.lastIndexOf("xref"));
  const { parts, notes } = await readBytes("cut.pdf", cut);
  expect(parts[0]?.text).toContain("Order of the harbour office");
  expect(notes).toEqual(["the file is damaged: its pages were found by searching, some may be missing"]);
  for (const length of [10, 100, 500])
    expect(await failureOf(readBytes("x.pdf", whole.subarray(0, length)))).toEqual([
      "unsupported",
      "x.pdf is damaged: no PDF structure was found in it",
    ]);
});

it("handles cycles of pages or bookmarks", async () => {
  const pages = makePdf([
    "<< /Type /Pages /Kids [3 0 R 2 0 R] /Count 3 >>",
    "<< /Type /Pages /Parent 2 0 R /Kids [2 0 R] /Count 5 >>",
  ]);
  const circle = await readBytes("circle.pdf", pages);
  expect(circle.notes).toEqual(["pages 1-3 cannot be read"]);
  const bookmarks = makePdf(
    [
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>",
      "<< /First 5 0 R /Last 5 0 R >>",
      "<< /Title (loop) /Next 5 0 R /First 5 0 R /Parent 4 0 R >>",
    ],
    "/Outlines 4 0 R",
  );
  expect((await readBytes("loop.pdf", bookmarks)).notes).toEqual(["Outline: loop"]);
});

it("fails when a page would take all memory", { tags: "slow" }, async () => {
  const laughs = Array.from({ length: 9 }, (_, depth) =>
    stream(
      depth === 8 ? "BT /F 9 Tf (laugh) Tj ET" : "/X Do ".repeat(10),
      `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X ${depth + 6} 0 R >> >> `,
    ),
  );
  const bytes = makePdf([
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>",
    stream("/X Do "),
    ...laughs,
  ]);
  expect(await failureOf(readBytes("laughs.pdf", bytes))).toEqual([
    "too-large",
    "laughs.pdf takes too much memory to read",
  ]);
  // Its effect is limited to this document.
  expect(allText(await readSample("turned.pdf"))).toContain("First line");
});

it("keeps the text when an image of the page would be too large", async () => {
  const page = (picture: string) =>
    makePdf([
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> /Font << /F 6 0 R >> >> >>",
      stream("BT /F 9 Tf (words) Tj ET 99 0 0 99 0 0 cm /X Do"),
      picture,
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]);
  const pixels = (width: number) =>
    stream(
      "x",
      `/Type /XObject /Subtype /Image /Width ${width} /Height ${width} /ColorSpace /DeviceGray /BitsPerComponent 1 `,
    );
  const read = [60_000, 10].map((width) => readBytes("x.pdf", page(pixels(width)), { images: true }));
  const shown = (await Promise.all(read)).map(({ parts, notes, images }) => [
    parts[0]?.text,
    notes,
    images.length,
  ]);
  expect(shown).toEqual([
    ["words", ["page 1 is too large to be drawn"], 0],
    ["words", ["page 1 is also shown as a picture"], 1],
  ]);
});
