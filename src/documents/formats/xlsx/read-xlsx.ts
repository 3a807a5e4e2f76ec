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
import { XmlReader } from "../../xml/xml-reader.ts";
import { readRows, type Workbook } from "./read-rows.ts";
import { SharedStrings } from "./shared-strings.ts";

/** Reads Excel workbooks. Only the shown sheets are unpacked. */
export const readXlsx: DocumentReader = (source, wanted, context) => {
  const opened = openPackage(source, context);
  const part = mainPart(opened, "xl/workbook.xml");
  const { sheets, names, startsIn1904 } = readWorkbook(opened, part);
  const relations = [...opened.relations(part).values()];
  const partOf = (type: string) => relations.find((one) => one.type === type)?.target;
  let workbook: Workbook | undefined;
  const shared = () => {
    workbook ??= {
      strings: new SharedStrings(opened.zip.text(partOf("sharedStrings") ?? "xl/sharedStrings.xml") ?? ""),
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

function readWorkbook(opened: Package, part: string) {
  const reader = opened.need(part);
  const relations = opened.relations(part);
  const sheets: NamedPart[] = [];
  const names: string[] = [];
  let startsIn1904 = false;
  for (const section of reader.children()) {
    if (section === "x:workbookPr") startsIn1904 = /^(?:1|true)$/.test(reader.attribute("date1904") ?? "");
    if (section !== "x:sheets" && section !== "x:definedNames") continue;
    for (const kind of reader.children()) {
      const name = (reader.attribute("name") ?? "").slice(0, longestName);
      const isInternal = reader.attribute("hidden") === "1" || name.startsWith("_xlnm.");
      if (kind === "x:sheet") {
        const isHidden = (reader.attribute("state") ?? "visible") !== "visible";
        sheets.push({ name, isHidden, part: relations.get(reader.attribute("r:id") ?? "")?.target });
      } else if (kind === "x:definedName" && !isInternal) names.push(`${name} = ${reader.content().trim()}`);
    }
  }
  return { sheets, names, startsIn1904 };
}

/** The limit of Excel for names. */
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
    const xml = part === undefined ? undefined : opened.zip.text(part);
    if (xml === undefined) throw damaged(source.name, `the sheet ${name} is missing`);
    const outside = new XmlReader(withoutCells(xml), `${part} in ${source.name}`, budget);
    const remarks = readRemarks(outside, opened, opened.relations(part!));
    return { part: { xml, links: remarks.links }, remarks };
  }
}

/** Returns a sheet without its cells, which are most of it. */
function withoutCells(xml: string): string {
  const start = xml.search(/<(?:[\w.-]+:)?sheetData[\s>]/);
  const end = start < 0 ? -1 : xml.lastIndexOf("sheetData>");
  return end < 0 ? xml : `${xml.slice(0, start)}${xml.slice(end + "sheetData>".length)}`;
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

/** Returns the kind of number of each cell style, by the style's index. */
function readStyles(opened: Package, part: string | undefined): readonly NumberKind[] {
  const reader = opened.open(part ?? "");
  const patterns = new Map<string, NumberKind>();
  const styles: NumberKind[] = [];
  if (!reader) return styles;
  for (const list of reader.children()) {
    if (list !== "x:numFmts" && list !== "x:cellXfs") continue;
    for (const format of reader.children()) {
      if (format === "x:numFmt")
        patterns.set(reader.attribute("numFmtId") ?? "", kindOfPattern(reader.attribute("formatCode") ?? ""));
      else if (format === "x:xf") {
        const id = reader.attribute("numFmtId") ?? "0";
        styles.push(patterns.get(id) ?? kindOfNumber(Number(id)));
      }
    }
  }
  return styles;
}

/** Returns the kind of a built-in number format, including East Asian dates. */
function kindOfNumber(id: number): NumberKind {
  if (id === 9 || id === 10) return "percent";
  if (id === 22) return "date-time";
  if (id === 46) return "duration";
  if ((id >= 18 && id <= 21) || id === 45 || id === 47 || (id >= 32 && id <= 35)) return "time";
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)) return "date";
  return "plain";
}

interface LinkedRemarks extends Remarks {
  /** Targets of links, by column and row: "2,14". */
  readonly links: ReadonlyMap<string, string>;
}

/** Reads merged cells, links and comments from a sheet without its cells. */
function readRemarks(sheet: XmlReader, opened: Package, relations: Relations): LinkedRemarks {
  const links = new Map<string, string>();
  const merged: Remark[] = [];
  sheet.child(0);
  for (const section of sheet.children()) {
    if (section !== "x:mergeCells" && section !== "x:hyperlinks") continue;
    for (const kind of sheet.children()) {
      const address = sheet.attribute("ref") ?? "";
      const range = parseRange(address);
      if (!range) continue;
      if (kind === "x:mergeCell") merged.push({ range, text: address });
      const target = relations.get(sheet.attribute("r:id") ?? "")?.target;
      if (kind === "x:hyperlink" && target !== undefined)
        links.set(`${range.firstColumn},${range.firstRow}`, target);
    }
  }
  return { links, merged, comments: readComments(opened, relations) };
}

function readComments(opened: Package, relations: Relations): readonly Remark[] {
  const part = [...relations.values()].find(({ type }) => type === "comments")?.target;
  const reader = opened.open(part ?? "");
  const authors: string[] = [];
  const comments: Remark[] = [];
  if (!reader) return comments;
  for (const _ of reader.children())
    for (const kind of reader.children()) {
      if (kind === "x:author") authors.push(reader.content().trim());
      if (kind !== "x:comment") continue;
      const address = reader.attribute("ref") ?? "";
      const range = parseRange(address);
      const author = authors[Number(reader.attribute("authorId") ?? "0")] ?? "";
      let text = "";
      for (const name of reader.children()) if (name === "x:text") text += reader.content();
      text = text.replaceAll(/\s+/g, " ").trim();
      const named = author === "" || text.startsWith(author) ? text : `${author}: ${text}`;
      if (range) comments.push({ range, text: `${address}: ${named}` });
    }
  return comments;
}
