import { describe, expect, it } from "vitest";
import { makeZip } from "../../../../test/support/documents/make-zip.ts";
import { failureOf, readBytes } from "../../../../test/support/documents/read-bytes.ts";

describe("a chart", () => {
  it("has a table for each series when their x values differ", async () => {
    const one = (name: string, places: string[], values: string[]) =>
      `<c:ser><c:tx>${points([name])}</c:tx><c:xVal>${points(places)}</c:xVal><c:yVal>${points(values)}</c:yVal></c:ser>`;
    expect(
      await textOf({ chart: one("a", ["1", "2"], ["10", "20"]) + one("b", ["1.5", "7"], ["30", "40"]) }),
    ).toBe(
      "[chart]\n\n| | a |\n|---|---|\n| 1 | 10 |\n| 2 | 20 |\n\n| | b |\n|---|---|\n| 1.5 | 30 |\n| 7 | 40 |",
    );
  });

  it("shows all levels of its labels", async () => {
    const levels = `<c:lvl>${points(["Q1", "Q2"])}</c:lvl><c:lvl>${points(["2024"])}</c:lvl>`;
    const chart = `<c:ser><c:cat>${levels}</c:cat><c:val>${points(["1", "2"])}</c:val></c:ser>`;
    expect(await textOf({ chart })).toBe("[chart]\n\n| | |\n|---|---|\n| 2024 Q1 | 1 |\n| Q2 | 2 |");
  });
});

describe("a chart of a newer kind", () => {
  const frame = '<cx:chart r:id="chart"/>';

  it("shows its titles once, and its values", async () => {
    const points = (values: readonly string[]) =>
      `<cx:lvl>${values.map((value, index) => `<cx:pt idx="${index}">${value}</cx:pt>`).join("")}</cx:lvl>`;
    const chart = `<cx:chartSpace ${names}><cx:chartData><cx:data id="0">
      <cx:strDim type="cat"><cx:f>A2:B4</cx:f>${points(["Start", "Sold"])}${points(["2024"])}</cx:strDim>
      <cx:numDim type="val"><cx:f>C2:C4</cx:f>${points(["100", "-20"])}</cx:numDim></cx:data></cx:chartData>
      <cx:chart><cx:title><cx:tx><cx:txData><cx:v>Stock</cx:v></cx:txData></cx:tx><cx:txPr><a:p><a:r><a:t>Stock</a:t></a:r></a:p></cx:txPr></cx:title>
      <cx:plotArea><cx:plotAreaRegion><cx:series layoutId="waterfall"><cx:tx><cx:txData><cx:f>C1</cx:f><cx:v>Pieces</cx:v></cx:txData></cx:tx><cx:dataId val="0"/></cx:series>
      <cx:series layoutId="paretoLine" ownerIdx="0"/></cx:plotAreaRegion>
      <cx:axis><cx:title><cx:tx><cx:rich><a:p><a:r><a:t>Year</a:t></a:r></a:p></cx:rich></cx:tx></cx:title></cx:axis></cx:plotArea></cx:chart></cx:chartSpace>`;
    expect(await textOf({ frame, part: chart })).toBe(
      "[chart: Stock, Year]\n\n| | Pieces |\n|---|---|\n| 2024 Start | 100 |\n| Sold | -20 |",
    );
  });

  it("is mentioned regardless of its content", async () => {
    expect(await textOf({ frame, part: "" })).toBe("[chart]");
  });
});

describe("a hostile presentation", () => {
  const limits = { pieces: 100_000 };
  const tooMany = ["too-large", "x.pptx is too large to read: it has more than 100000 pieces"];

  it("is refused for a table with one long row among many", async () => {
    const table = `<a:tbl><a:tr>${"<a:tc/>".repeat(1000)}</a:tr>${"<a:tr><a:tc/></a:tr>".repeat(1000)}</a:tbl>`;
    expect(await failureOf(readBytes("x.pptx", pptx({ frame: table }), {}, limits))).toEqual(tooMany);
  });

  it("is refused for a chart of many series at many positions", async () => {
    const far = (position: number) =>
      `<c:ser><c:val><c:pt idx="${position}"><c:v>1</c:v></c:pt></c:val></c:ser>`;
    const chart = Array.from({ length: 1000 }, (_, position) => far(position * 1e6)).join("");
    expect(await failureOf(readBytes("x.pptx", pptx({ chart }), {}, limits))).toEqual(tooMany);
  });

  it("is refused for endlessly nested groups", async () => {
    const [code] = await failureOf(readBytes("x.pptx", pptx({ shapes: "<p:grpSp>".repeat(100_000) })));
    expect(code).toBe("too-large");
  });

  it("is read slide by slide, however often it repeats an empty one", async () => {
    const { parts, next, consistsOf } = await readBytes("x.pptx", pptx({ times: 50_000 }), { maxChars: 100 });
    expect([parts.length, next, consistsOf]).toEqual([13, "slides 14-", { one: "slide", total: 50_000 }]);
  });
});

function points(values: readonly string[]): string {
  return values.map((value, index) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`).join("");
}

interface Made {
  readonly shapes?: string;
  /** The content of a frame: a table. */
  readonly frame?: string;
  readonly chart?: string;
  /** The content of the chart part. */
  readonly part?: string;
  /** How often its slide is shown. */
  readonly times?: number;
}

const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const drawing = "http://schemas.openxmlformats.org/drawingml/2006";
const names = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="${office}" xmlns:a="${drawing}/main" xmlns:c="${drawing}/chart" xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex"`;

/** A presentation with one slide. */
function pptx({ shapes = "", frame = "", chart = "", part, times = 1 }: Made): Buffer {
  const inFrame = chart === "" ? frame : '<c:chart r:id="chart"/>';
  const graphic = `<p:graphicFrame><a:graphic><a:graphicData>${inFrame}</a:graphicData></a:graphic></p:graphicFrame>`;
  const tree = `<p:spTree>${inFrame === "" ? shapes : graphic}</p:spTree>`;
  return makeZip([
    { name: "[Content_Types].xml", content: "<Types/>" },
    {
      name: "ppt/presentation.xml",
      content: `<p:presentation ${names}><p:sldIdLst>${'<p:sldId r:id="slide"/>'.repeat(times)}</p:sldIdLst></p:presentation>`,
    },
    { name: "ppt/_rels/presentation.xml.rels", content: relation("slide", "slides/slide1.xml") },
    { name: "ppt/slides/slide1.xml", content: `<p:sld ${names}><p:cSld>${tree}</p:cSld></p:sld>` },
    { name: "ppt/slides/_rels/slide1.xml.rels", content: relation("chart", "../charts/chart1.xml") },
    { name: "ppt/charts/chart1.xml", content: part ?? `<c:chartSpace ${names}>${chart}</c:chartSpace>` },
  ]);
}

function relation(type: string, target: string): string {
  const one = `<Relationship Id="${type}" Type="${office}/${type}" Target="${target}"/>`;
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${one}</Relationships>`;
}

async function textOf(made: Made): Promise<string | undefined> {
  return (await readBytes("x.pptx", pptx(made))).parts[0]?.text;
}
