import type { DocumentSource } from "../../../contract/document.ts";
import { counted } from "../../../lib/counted.ts";
import { damaged } from "../../damaged.ts";
import type { Desk, DocumentReader } from "../../reader.ts";
import { decodeXml } from "../../xml/decode-xml.ts";
import { XmlReader } from "../../xml/xml-reader.ts";
import { mainPart, openPackage, type Package } from "../office/open-package.ts";
import { packageProperties } from "../office/properties.ts";
import { notesOnSheets } from "../sheets/notes-on-sheets.ts";
import { showRemarks } from "../sheets/remarks.ts";
import type { Sheet } from "../sheets/sheet.ts";
import { showSheets } from "../sheets/show-sheets.ts";
import { readRows, type Workbook } from "./open-sheet.ts";
import { readStyles } from "./read-styles.ts";
import { hasRowsInOrder } from "./scan-sheet.ts";
import { SharedStrings } from "./shared-strings.ts";
import { readRemarks } from "./sheet-remarks.ts";

/** By sheets, of which only those are unpacked that are shown. */
export const readXlsx: DocumentReader = (source, wanted, desk) => {
  const opened = openPackage(source, desk);
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
      budget: desk.budget,
    };
    return workbook;
  };
  const shown = sheets.map((sheet) => openSheet(opened, sheet, shared, source, desk));
  return {
    format: "xlsx",
    description: "Excel workbook",
    properties: packageProperties(opened),
    ...showSheets(shown, wanted, source.name, desk),
    notes: [
      ...opened.zip.notes,
      ...(wanted.part === undefined ? [...notesOnSheets(shown, names), ...notesOnMore(opened)] : []),
    ],
    images: [],
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
  { budget }: Desk,
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
    return { part: { xml, isInOrder: hasRowsInOrder(xml), links: remarks.links }, remarks };
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
