import { damaged } from "../../damaged.ts";
import type { DocumentReader } from "../../reader.ts";
import { decodeXml } from "../../xml/decode-xml.ts";
import { openDocumentProperties } from "../office/properties.ts";
import { openOpenDocument } from "../opendocument/open-opendocument.ts";
import { showSheetName } from "../sheets/cell-address.ts";
import { notesOnSheets } from "../sheets/notes-on-sheets.ts";
import { showRemarks } from "../sheets/remarks.ts";
import type { Sheet } from "../sheets/sheet.ts";
import { showSheets } from "../sheets/show-sheets.ts";
import { Tables, type Told } from "./tables.ts";

/** By sheets. */
export const readOds: DocumentReader = (source, wanted, desk) => {
  const opened = openOpenDocument(source, desk);
  const entry = opened.zip.find("content.xml");
  if (!entry) throw damaged(source.name, "content.xml is missing");
  const where = `content.xml in ${source.name}`;
  const tables = new Tables(decodeXml(opened.zip.read(entry)), where, desk.budget);
  const { tables: list, names } = tables.list();
  const told = list.map(nothingTold);
  const sheets = list.map(
    ({ name, isHidden }, index): Sheet => ({
      name,
      isHidden,
      rows: (range) => {
        told[index] = nothingTold();
        return tables.rows(index, range, told[index]);
      },
      remarks: (range) => showRemarks(told[index]!, range),
    }),
  );
  return {
    format: "ods",
    description: "OpenDocument spreadsheet",
    properties: openDocumentProperties(opened),
    ...showSheets(sheets, wanted, source.name, desk),
    notes: [
      ...opened.zip.notes,
      ...(wanted.part === undefined ? notesOnSheets(sheets, names) : []),
      ...list
        .filter((_, index) => told[index]!.goesBeyond)
        .map(({ name }) => `${showSheetName(name)} has cells past column XFD, which are not shown`),
    ],
    images: [],
  };
};

function nothingTold(): Told {
  return { merged: [], comments: [], goesBeyond: false };
}
