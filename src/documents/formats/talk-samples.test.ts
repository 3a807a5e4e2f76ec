import { describe, expect, it } from "vitest";
import { failureOf } from "../../../test/support/documents/read-bytes.ts";
import { allText, readSample, secondReading, wordsOf } from "../../../test/support/documents/samples.ts";

/** One presentation that LibreOffice saved in two formats reads the same in each. */
const parts = [
  {
    anchor: "slide 1",
    title: "The old quay",
    text: `# The old quay

- First thought
  - a detail
- Second thought, see [the plan](https://example.org/quay)

Speaker notes: Greet everybody first.`,
  },
  {
    anchor: "slide 2",
    title: "Numbers",
    text: `# Numbers

Left box

Right box

| Quay | Depth |
|---|---|
| North | 4.9 |

In a group

of two`,
  },
  { anchor: "slide 3", title: "Only if asked (hidden)", text: "# Only if asked" },
];

const software = "LibreOffice/7.4.7.2$Linux_X86_64 LibreOffice_project/40$Build-2";

describe("a presentation", () => {
  it.each([
    ["pptx", "PowerPoint presentation", { language: "en-US" }],
    ["odp", "OpenDocument presentation", {}],
  ])("is read completely from %s, from the top left", async (format, description, others) => {
    expect(await readSample(`talk.${format}`)).toEqual({
      format,
      description,
      properties: { title: "Quays in three slides", author: "Ada Writer", ...others, software },
      consistsOf: { one: "slide", total: 3 },
      parts,
      next: undefined,
      notes: [],
      images: [],
    });
  });

  it.each(["pptx", "odp"])("returns the requested slides of %s", async (format) => {
    const name = `talk.${format}`;
    const asked = await Promise.all([
      readSample(name, { part: "slide 2" }),
      readSample(name, { part: "slides 2-3" }),
      readSample(name, { maxChars: 200 }),
    ]);
    expect(asked.map(({ parts, next }) => [parts.map(({ anchor }) => anchor), next])).toEqual([
      [["slide 2"], undefined],
      [["slide 2", "slide 3"], undefined],
      [["slide 1"], "slides 2-"],
    ]);
    expect(await failureOf(readSample(name, { part: "page 2" }))).toEqual([
      "not-found",
      `${name} has no part "page 2": it has 3 slides`,
    ]);
  });

  it("in PPTX has the words of the printed page, with adjacent boxes in its order", async () => {
    const ours = allText(await readSample("talk.pptx"));
    const left = ["Speaker notes: Greet everybody first.", "Only if asked"];
    const theirs = secondReading("talk.pptx", "pdftotext").replace(
      /Right box\s+Left box/,
      "Left box Right box",
    );
    expect(wordsOf(ours, left)).toEqual(wordsOf(theirs));
  });

  it("in ODP has the words that odfpy finds, in the order of the file", async () => {
    const ours = allText(await readSample("talk.odp"));
    const theirs = wordsOf(secondReading("talk.odp", "odfpy"));
    expect([...wordsOf(ours, ["Speaker notes:"])].sort()).toEqual([...theirs].sort());
  });
});

describe("a presentation made by pandoc, whose layout positions the content", () => {
  it("is read completely", async () => {
    const { parts, notes } = await readSample("planned.pptx");
    expect([parts, notes]).toEqual([
      [
        { anchor: "slide 1", title: "The new quay", text: "# The new quay\n\nBen Editor" },
        {
          anchor: "slide 2",
          title: "Plans",
          text: "# Plans\n\n- one\n  1. first\n  2. second\n- two\n\nSpeaker notes: Speak slowly.",
        },
        { anchor: "slide 3", title: "Two columns", text: "# Two columns\n\nLeft words\n\nRight words" },
        {
          anchor: "slide 4",
          title: "Table",
          text: "# Table\n\n| Quay | Depth |\n|---|---|\n| North | 4.9 |",
        },
      ],
      [],
    ]);
  });

  it("has the words of the printed page", async () => {
    const ours = allText(await readSample("planned.pptx"));
    expect(wordsOf(ours, ["Speaker notes: Speak slowly."])).toEqual(
      wordsOf(secondReading("planned.pptx", "pdftotext")),
    );
  });
});

describe("a presentation with PowerPoint extras", () => {
  it("is read with its comments and replies, groups, charts and diagrams", async () => {
    const { parts, notes } = await readSample("survey.pptx");
    expect([parts.map(({ text }) => text.split("\n\n").slice(-7)), notes]).toEqual([
      [
        [
          "# The old quay",
          "- First thought\n  - a detail\n- Second thought, see [the plan](https://example.org/quay)",
          "Speaker notes: Greet everybody first.",
          "comment by Cleo Reader (2024-03-03): Which quay?",
        ],
        [
          "Left box",
          "Right box",
          "| Quay | Depth |\n|---|---|\n| North | 4.9 |",
          "In a group",
          "of two",
          "comment by Ada Writer (2024-03-04): When was this measured?",
          "comment by Ben Editor (2024-03-05): At low water.",
        ],
        [
          "# Survey",
          "first of it",
          "within it",
          "Below the group",
          "[chart: Soundings, Season, Metres]",
          "| | North | South |\n|---|---|---|\n| Spring | 4.9 | 12 |\n| Autumn | 5.1 | 11 |",
          "- Dredge\n- Measure again",
        ],
      ],
      [],
    ]);
  });

  it("has the words of the printed page, whose axis has its own numbers", async () => {
    const ours = allText(await readSample("survey.pptx"));
    const left = [
      "Speaker notes: Greet everybody first.",
      "comment by Cleo Reader (2024-03-03): Which quay?",
      "comment by Ada Writer (2024-03-04): When was this measured?",
      "comment by Ben Editor (2024-03-05): At low water.",
      "[chart:",
      "4.9 | 12",
      "5.1 | 11",
      "- Dredge",
      "- Measure again",
    ];
    const axis = /^(?:15|10|5|0)$/gm;
    const theirs = secondReading("survey.pptx", "pdftotext").replaceAll(axis, "");
    expect([...wordsOf(ours, left)].sort()).toEqual([...wordsOf(theirs)].sort());
  });
});
