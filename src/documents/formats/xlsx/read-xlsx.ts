import type { DocumentSource } from "../../../contract/document.ts";
import { counted } from "../../../lib/text/format-quantity.ts";
import { type DocumentReader, damaged, type ReadingContext } from "../../reader.ts";
import {
  mainPart,
  openPackage,
  type Package,
  packageProperties,
  type Relations,
} from "../../shared/office-package.ts";
import { parseRange } from "../../shared/spreadsheet/cell-address.ts";
import { kindOfPattern, type NumberKind } from "../../shared/spreadsheet/show-number.ts";
import {
  notesOnSheets,
  type Remark,
  type Remarks,
  type Sheet,
  showRemarks,
  showSheets,
} from "../../shared/spreadsheet/show-sheets.ts";
import { decodeXml } from "../../xml/decode.ts";
import { XmlReader } from "../../xml/xml-reader.ts";
import { readRows, type Workbook } from "./read-rows.ts";
import { SharedStrings } from "./shared-strings.ts";

/** By sheets, of which only those are unpacked that are shown. */
export const readXlsx: DocumentReader = (source, wanted, context) => {
  const opened = openPackage(source, context);
  const part = mainPart(opened, "xl/workbook.xml");
  const { sheets, names, startsIn1904 } = readWorkbook(opened, part);
  const relations = [...opened.relations(part).values()];
  const partOf = (type: string) => relations.find((one) => one.type === type)?.target;
  let workbook: Workbook | undefined;
  const shared = () => {
    workbook ??= {
      strings: new SharedStrings(xmlOf(opened, partOf("sharedStrings") ?? "xl/sharedStrings.xml") ?? ""),
      styles: readStyles(opened, partOf("styles")),
      startsIn1904,
      budget: context.budget,
      name: source.name,
    };
    return workbook;
  };
  const shown = sheets.map((sheet) => openSheet(opened, sheet, shared, source, context));
  return {
    format: "xlsx",
    description: "Excel workbook",
    properties: packageProperties(opened),
    ...showSheets(shown, wanted, source.name, context),
    notes: [
      ...opened.zip.notes,
      ...(wanted.part === undefined ? [...notesOnSheets(shown, names), ...notesOnMore(opened)] : []),
    ],
  };
};

interface NamedPart {
  readonly name: string;
  readonly isHidden: boolean;
  readonly part: string | undefined;
}

interface Contents {
  readonly sheets: readonly NamedPart[];
  readonly names: readonly string[];
  readonly startsIn1904: boolean;
}

function readWorkbook(opened: Package, part: string): Contents {
  const reader = opened.need(part);
  const relations = opened.relations(part);
  const sheets: NamedPart[] = [];
  const names: string[] = [];
  let startsIn1904 = false;
  reader.child(0);
  const { depth } = reader;
  while (reader.child(depth)) {
    if (reader.name === "x:workbookPr")
      startsIn1904 = /^(?:1|true)$/.test(reader.attribute("date1904") ?? "");
    if (reader.name !== "x:sheets" && reader.name !== "x:definedNames") continue;
    const within = reader.depth;
    while (reader.child(within)) {
      const name = (reader.attribute("name") ?? "").slice(0, longestName);
      if (reader.is("x:sheet")) {
        const isHidden = (reader.attribute("state") ?? "visible") !== "visible";
        sheets.push({ name, isHidden, part: relations.get(reader.attribute("r:id") ?? "")?.target });
      } else if (
        reader.is("x:definedName") &&
        reader.attribute("hidden") !== "1" &&
        !name.startsWith("_xlnm.")
      )
        names.push(`${name} = ${reader.content().trim()}`);
    }
  }
  return { sheets, names, startsIn1904 };
}

/** Of names 255 characters are usual, of sheets 31. */
const longestName = 255;

function openSheet(
  opened: Package,
  { name, isHidden, part }: NamedPart,
  workbook: () => Workbook,
  source: DocumentSource,
  { budget }: ReadingContext,
): Sheet {
  let loaded: ReturnType<typeof load> | undefined;
  const sheet = () => {
    loaded ??= load();
    return loaded;
  };
  return {
    name,
    isHidden,
    rows: (range) => readRows(sheet().part, range, workbook()),
    remarks: (range) => showRemarks(sheet().remarks, range),
  };

  function load() {
    const xml = part === undefined ? undefined : xmlOf(opened, part);
    if (xml === undefined) throw damaged(source.name, `the sheet ${name} is missing`);
    const outside = new XmlReader(withoutCells(xml), `${part} in ${source.name}`, budget);
    const remarks = readRemarks(outside, opened, opened.relations(part!));
    return { part: { xml, links: remarks.links }, remarks };
  }
}

/** What a sheet has beside its cells, which are most of it. */
function withoutCells(xml: string): string {
  const start = xml.search(/<(?:[\w.-]+:)?sheetData[\s>]/);
  const end = start < 0 ? -1 : xml.lastIndexOf("sheetData>");
  return end < 0 ? xml : `${xml.slice(0, start)}${xml.slice(end + "sheetData>".length)}`;
}

function xmlOf(opened: Package, part: string): string | undefined {
  const entry = opened.zip.find(part);
  return entry && decodeXml(opened.zip.read(entry));
}

function notesOnMore({ zip }: Package): readonly string[] {
  const count = (folder: RegExp) => zip.entries.filter((entry) => folder.test(entry.name)).length;
  const charts = count(/^xl\/charts\/chart(?:Ex)?\d*\.xml$/);
  const pictures = count(/^xl\/media\//);
  const notes = [];
  if (charts > 0) notes.push(`${counted(charts, "chart")} not shown`);
  if (pictures > 0) notes.push(`${counted(pictures, "picture")} not shown`);
  if (zip.find("xl/vbaProject.bin")) notes.push("has macros, which are not shown");
  return notes;
}

/** By the number of a style, as cells name it: what its numbers are. */
function readStyles(opened: Package, part: string | undefined): readonly NumberKind[] {
  const reader = part === undefined ? undefined : opened.open(part);
  if (!reader?.child(0)) return [];
  const patterns = new Map<string, NumberKind>();
  const styles: NumberKind[] = [];
  const { depth } = reader;
  while (reader.child(depth)) {
    const list = reader.name;
    if (list !== "x:numFmts" && list !== "x:cellXfs") continue;
    const within = reader.depth;
    while (reader.child(within)) {
      if (reader.name === "x:numFmt")
        patterns.set(reader.attribute("numFmtId") ?? "", kindOfPattern(reader.attribute("formatCode") ?? ""));
      else if (reader.name === "x:xf") {
        const id = reader.attribute("numFmtId") ?? "0";
        styles.push(patterns.get(id) ?? kindOfNumber(Number(id)));
      }
    }
  }
  return styles;
}

/** Formats that every workbook has without saying what they are; some are those of East Asian dates. */
function kindOfNumber(id: number): NumberKind {
  if (id === 9 || id === 10) return "percent";
  if (id === 22) return "date-time";
  if (id === 46) return "duration";
  if ((id >= 18 && id <= 21) || id === 45 || id === 47 || (id >= 32 && id <= 35)) return "time";
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)) return "date";
  return "plain";
}

interface LinkedRemarks extends Remarks {
  /** Where cells lead, by column and row: "2,14". */
  readonly links: ReadonlyMap<string, string>;
}

/** From what follows the cells of a sheet; `after` stands in its root element. */
function readRemarks(after: XmlReader, opened: Package, relations: Relations): LinkedRemarks {
  const links = new Map<string, string>();
  const merged: Remark[] = [];
  after.child(0);
  const { depth } = after;
  while (after.child(depth)) {
    if (after.name !== "x:mergeCells" && after.name !== "x:hyperlinks") continue;
    const within = after.depth;
    while (after.child(within)) {
      const address = after.attribute("ref") ?? "";
      const range = parseRange(address);
      if (!range) continue;
      if (after.is("x:mergeCell")) merged.push({ range, text: address });
      const target = relations.get(after.attribute("r:id") ?? "")?.target;
      if (after.is("x:hyperlink") && target !== undefined)
        links.set(`${range.firstColumn},${range.firstRow}`, target);
    }
  }
  return { links, merged, comments: readComments(opened, relations) };
}

function readComments(opened: Package, relations: Relations): readonly Remark[] {
  const part = [...relations.values()].find(({ type }) => type === "comments")?.target;
  const reader = part === undefined ? undefined : opened.open(part);
  if (!reader?.child(0)) return [];
  const authors: string[] = [];
  const comments: Remark[] = [];
  const { depth } = reader;
  while (reader.child(depth)) {
    const list = reader.depth;
    while (reader.child(list)) {
      if (reader.is("x:author")) authors.push(reader.content().trim());
      if (reader.name !== "x:comment") continue;
      const address = reader.attribute("ref") ?? "";
      const range = parseRange(address);
      const author = authors[Number(reader.attribute("authorId") ?? "0")] ?? "";
      const text = textOf(reader).replaceAll(/\s+/g, " ").trim();
      const named = author === "" || text.startsWith(author) ? text : `${author}: ${text}`;
      if (range) comments.push({ range, text: `${address}: ${named}` });
    }
  }
  return comments;
}

/** Beside it may be where and how the comment is drawn. */
function textOf(reader: XmlReader): string {
  const { depth } = reader;
  let text = "";
  while (reader.child(depth)) if (reader.is("x:text")) text += reader.content();
  return text;
}
