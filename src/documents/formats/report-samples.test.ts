import { describe, expect, it } from "vitest";
import { allText, readSample, secondReading, wordsOf } from "../../../test/support/documents/samples.ts";

/** One document that LibreOffice saved in three formats reads the same in each. */
const text = `# Tides

The water rises[^1] twice a day. Größe: 5  m, see [the tables](<https://example.org/tides?a=1&b=(2)>).

It was newly measured in spring[^comment-1].
A second line	after a tab.

## Steps

1. Look at the gauge
  a) at noon
  b) at midnight
2. Write it down

Bring along:

- a lamp
- a pencil
  - soft

# Figures

| Quay | Low \\| high | Remark |
|---|---|---|
| North | 1.2<br>4.9 | safe |
| South, closed | | |

A box stands here.

Text in a box

A picture ![A red dot] is there.

The end[^endnote-1]. Ελλάδα, 日本, 😀.

Page header: Harbour office, confidential

Page footer: Page 1

[^1]: Measured at the old quay.
[^comment-1]: comment by Cleo Reader (2024-03-03): Which spring?
[^endnote-1]: Really the end.`;

const properties = {
  title: "The harbour report",
  author: "Ada Writer",
  subject: "Tides & quays",
  keywords: "harbour",
  software: "LibreOffice/7.4.7.2$Linux_X86_64 LibreOffice_project/40$Build-2",
};

describe("a report", () => {
  it.each([
    [
      "docx",
      "Word document",
      {
        "last modified by": "Ben Editor",
        created: "2024-03-01T09:00:00Z",
        modified: "2024-03-02T10:30:00Z",
        language: "en-GB",
      },
    ],
    [
      "odt",
      "OpenDocument text",
      {
        "last modified by": "Ben Editor",
        created: "2024-03-01T09:00:00",
        modified: "2024-03-02T10:30:00",
        language: "en-GB",
      },
    ],
    ["rtf", "RTF document", { created: "2024-03-01T09:00", modified: "2024-03-02T10:30" }],
  ])("is read completely from %s", async (format, description, others) => {
    expect(await readSample(`report.${format}`)).toEqual({
      format,
      description,
      properties: { ...properties, ...others },
      consistsOf: undefined,
      parts: [{ anchor: "", text }],
      next: undefined,
      notes: ["has 2 tracked changes, shown as accepted", "has 1 picture, shown as ![description]"],
      images: [],
    });
  });

  const margins = ["Page header: Harbour office, confidential", "Page footer: Page 1"];
  const comment = "[^comment-1]: comment by Cleo Reader (2024-03-03): Which spring?";
  const notes = ["[^1]: Measured at the old quay.", "[^endnote-1]: Really the end."];

  it("in DOCX has the same words as pandoc, except boxes, descriptions, comments and margins", async () => {
    const ours = allText(await readSample("report.docx"));
    const theirs = secondReading("report.docx", "pandoc");
    expect(wordsOf(ours, ["Text in a box", "A red dot", comment, ...margins])).toEqual(wordsOf(theirs));
  });

  it("in ODT has the same words as pandoc, which also leaves out table headers", async () => {
    const ours = allText(await readSample("report.odt"));
    const theirs = secondReading("report.odt", "pandoc");
    const head = "| Quay | Low \\| high | Remark |";
    expect(wordsOf(ours, [head, "Text in a box", "A red dot", comment, ...margins])).toEqual(wordsOf(theirs));
  });

  it("in RTF has the same words as LibreOffice, which shows deleted text and no notes", async () => {
    const ours = allText(await readSample("report.rtf"));
    const theirs = secondReading("report.rtf", "soffice")
      .replace("obsolete words", "")
      .replace("rises1", "rises")
      .replace("endi", "end");
    expect(wordsOf(ours, ["Text in a box", "A red dot", comment, ...notes, ...margins])).toEqual(
      wordsOf(theirs),
    );
  });
});
