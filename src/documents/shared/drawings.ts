import type { Budget } from "../budget.ts";
import type { XmlReader } from "../xml/xml-reader.ts";
import type { Block } from "./blocks.ts";
import type { Package, Relations } from "./office-package.ts";

/** Reads the titles of a chart and its axes, and its figures as a table. */
function readChart(opened: Package, part: string): Block[] {
  const reader = opened.open(part);
  if (!reader) return [];
  const chart: Chart = { titles: [], series: [] };
  visitDescendants(reader, (name) => {
    if (name === "c:title") chart.titles.push(runs(reader).trim());
    else if (name === "c:ser") chart.series.push(readSeries(reader));
    else return false;
    return true;
  });
  return showChart(chart, opened.budget);
}

/** Reads a chart of an Office 2016 kind (funnel, treemap, …). Its figures are in `cx:data`, before its series. */
function readExtendedChart(opened: Package, part: string): Block[] {
  const reader = opened.open(part);
  const chart: Chart = { titles: [], series: [] };
  if (!reader) return showChart(chart, opened.budget);
  const figures = new Map<string, Pick<Series, "labels" | "values">>();
  visitDescendants(reader, (name) => {
    if (name === "cx:data") figures.set(reader.attribute("id") ?? "", readFigures(reader));
    else if (name === "cx:title") chart.titles.push(readCaption(reader).text);
    else if (name === "cx:series") {
      const { text, data } = readCaption(reader);
      const known = figures.get(data ?? "");
      if (known) chart.series.push({ name: text, ...known });
    } else return false;
    return true;
  });
  return showChart(chart, opened.budget);
}

/** Returns the text of a title or series, and the id of its figures. `cx:txPr` repeats the text of `cx:tx`. */
function readCaption(reader: XmlReader): { readonly text: string; readonly data: string | undefined } {
  let text = "";
  let data: string | undefined;
  for (const name of reader.children()) {
    if (name === "cx:tx") text = runs(reader).trim();
    else if (name === "cx:dataId") data = reader.attribute("val");
  }
  return { text, data };
}

function readFigures(reader: XmlReader): Pick<Series, "labels" | "values"> {
  const figures = { labels: new Map<number, string>(), values: new Map<number, string>() };
  for (const name of reader.children()) {
    const isLabel = name === "cx:strDim" || reader.attribute("type") === "x";
    const into = isLabel ? figures.labels : figures.values;
    for (const [index, value] of readPoints(reader)) {
      const before = into.get(index);
      into.set(index, before === undefined ? value : `${before} ${value}`);
    }
  }
  return figures;
}

/** Reads a diagram (SmartArt) with an item for each of its shapes. */
function readDiagram(opened: Package, part: string): Block[] {
  const reader = opened.open(part);
  if (!reader) return [];
  const items: Block[] = [];
  visitDescendants(reader, (name) => {
    if (name !== "dgm:t") return false;
    const text = runs(reader).trim();
    if (text !== "") items.push({ kind: "item", level: 0, marker: "-", text });
    return true;
  });
  return items;
}

/** Reads an element of `a:graphicData` whose content is in another part; undefined for other elements. */
export function readGraphic(reader: XmlReader, opened: Package, relations: Relations): Block[] | undefined {
  const target = (id: string) => relations.get(reader.attribute(id) ?? "")?.target ?? "";
  if (reader.name === "c:chart") return readChart(opened, target("r:id"));
  if (reader.name === "cx:chart") return readExtendedChart(opened, target("r:id"));
  if (reader.name === "dgm:relIds") return readDiagram(opened, target("r:dm"));
  return undefined;
}

interface Chart {
  /** The chart's own title first, then those of its axes. */
  readonly titles: string[];
  readonly series: Series[];
}

interface Series {
  name: string;
  readonly labels: Map<number, string>;
  readonly values: Map<number, string>;
}

function readSeries(reader: XmlReader): Series {
  const series: Series = { name: "", labels: new Map(), values: new Map() };
  visitDescendants(reader, (name) => {
    if (name === "c:tx") series.name = [...readPoints(reader).values()].join(" ");
    else if (name === "c:cat" || name === "c:xVal") readPoints(reader, series.labels);
    else if (name === "c:val" || name === "c:yVal") readPoints(reader, series.values);
    // Labels at single points, trend lines and error bars repeat the figures.
    else return name === "c:dLbls" || name === "c:trendline" || name === "c:errBars";
    return true;
  });
  return series;
}

function readPoints(reader: XmlReader, points = new Map<number, string>()): Map<number, string> {
  visitDescendants(reader, (name) => {
    if (name === "c:v") points.set(points.size, reader.content());
    else if (name === "c:pt" || name === "cx:pt") {
      const index = Number(reader.attribute("idx") ?? points.size);
      const text = name === "c:pt" ? runs(reader) : reader.content();
      // Labels may have several levels, the innermost first.
      const inner = points.get(index);
      points.set(index, inner === undefined ? text : `${text} ${inner}`);
    } else return false;
    return true;
  });
  return points;
}

function showChart({ titles, series }: Chart, budget: Budget): Block[] {
  const title = titles.filter((each) => each !== "").join(", ");
  const heading: Block = { kind: "paragraph", text: title === "" ? "[chart]" : `[chart: ${title}]` };
  // Each series of a scatter chart may have its own x values.
  const first = series.find(({ labels }) => labels.size > 0)?.labels ?? new Map<number, string>();
  const isShared = series.every(({ labels }) => labels.size === 0 || areSame(labels, first));
  const tables = isShared ? [series] : series.map((one) => [one]);
  return [heading, ...tables.flatMap((together) => showTable(together, budget))];
}

function areSame(one: Series["labels"], other: Series["labels"]): boolean {
  return one.size === other.size && [...one].every(([index, label]) => other.get(index) === label);
}

function showTable(series: readonly Series[], budget: Budget): Block[] {
  const indexes = new Set(series.flatMap(({ labels, values }) => [...labels.keys(), ...values.keys()]));
  if (indexes.size === 0) return [];
  budget.walk(indexes.size * series.length);
  const labels = series.find((one) => one.labels.size > 0)?.labels;
  const rows = [...indexes]
    .sort((left, right) => left - right)
    .map((index) => [labels?.get(index) ?? "", ...series.map(({ values }) => values.get(index) ?? "")]);
  return [{ kind: "table", rows: [["", ...series.map(({ name }) => name)], ...rows] }];
}

/** Returns the text of the element, with one line for each paragraph. */
function runs(reader: XmlReader): string {
  let text = "";
  visitDescendants(reader, (name) => {
    if (name === "a:t" || name === "c:v" || name === "cx:v") text += reader.content();
    else if (name === "a:p" && /[^\n]$/.test(text)) {
      text += "\n";
      return false;
    } else return name === "a:pPr" || name === "a:rPr" || name === "c:f" || name === "cx:f";
    return true;
  });
  return text;
}

/** Visits all descendants. `take` returns true to skip the content of an element. */
function visitDescendants(reader: XmlReader, take: (name: string) => boolean): void {
  for (const name of reader.children()) if (!take(name)) visitDescendants(reader, take);
}
