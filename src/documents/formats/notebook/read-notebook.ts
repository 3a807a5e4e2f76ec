import type { DocumentPart } from "../../../contract/document.ts";
import type { ToolImage } from "../../../contract/tool.ts";
import { counted } from "../../../lib/text/format-quantity.ts";
import { gatherParts, wantedParts } from "../../anchors.ts";
import type { DocumentReader } from "../../reader.ts";
import { readNotebookBytes } from "./notebook.ts";
import { type ShownCell, showCell } from "./show-cell.ts";

/** Reads Jupyter notebooks of versions 1 to 4. A part is a cell with its outputs. */
export const readNotebook: DocumentReader = async ({ name, bytes }, wanted, { budget }) => {
  const { version, language, properties, cells } = readNotebookBytes(bytes, name);
  budget.walk(cells.length);
  const order = { one: "cell", total: cells.length, name };
  const { first, last } = wantedParts(wanted.part, order);
  // A single requested cell is shown whole.
  const maxOutput = first === last && wanted.part !== undefined ? Number.POSITIVE_INFINITY : mostOutput;
  const shown = new Map<string, ShownCell>();
  const gathered = await gatherParts(wanted, order, (number): DocumentPart => {
    const cell = showCell(cells[number - 1]!, { language, maxOutput });
    const anchor = `cell ${number}`;
    shown.set(anchor, cell);
    return { anchor, title: cell.title, text: cell.text };
  });
  const given = gathered.parts.map(({ anchor }) => ({ anchor, ...shown.get(anchor)! }));
  const images = given.flatMap((cell) => cell.images);
  const shortened = given.filter(({ isShortened }) => isShortened).map(({ anchor }) => anchor);
  return {
    format: "notebook",
    description: "Jupyter notebook",
    properties: { ...properties, format: `nbformat ${version}` },
    consistsOf: { one: "cell", total: cells.length },
    ...gathered,
    notes: [...notesOnOutputs(shortened), ...notesOnPictures(images, wanted.images)],
    images: wanted.images ? images : [],
  };
};

/** The most characters of one output, when several cells are shown. */
const mostOutput = 4000;

function notesOnOutputs(anchors: readonly string[]): readonly string[] {
  if (anchors.length === 0) return [];
  const list = anchors.slice(0, 10).join(", ") + (anchors.length > 10 ? ", …" : "");
  return [`long outputs are shortened (${list}); request a single cell to see it whole`];
}

function notesOnPictures(images: readonly ToolImage[], areShown: boolean | undefined): readonly string[] {
  if (images.length === 0 || areShown) return [];
  return [
    `${counted(images.length, "picture")} not shown; ask for images to see ${images.length === 1 ? "it" : "them"}`,
  ];
}
