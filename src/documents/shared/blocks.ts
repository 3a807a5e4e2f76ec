import { counted } from "../../lib/text/format-quantity.ts";

/** A block of a text document, in reading order. All readers of text formats produce these. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: string }
  /** A line of preformatted text. */
  | { readonly kind: "line"; readonly text: string }
  /** `level` counts from 0. `marker` is "-" or the number as the document shows it: "2.1.". */
  | { readonly kind: "item"; readonly level: number; readonly marker: string; readonly text: string }
  | { readonly kind: "table"; readonly rows: readonly (readonly string[])[] }
  /** A footnote, endnote or comment, shown at the end of the section that cites it by [^label]. */
  | { readonly kind: "note"; readonly label: string; readonly text: string };

/** Shows a block as Markdown. */
export function showBlock(block: Block): string {
  switch (block.kind) {
    case "heading":
      return `${"#".repeat(Math.min(Math.max(block.level, 1), 6))} ${inOneLine(block.text)}`;
    case "paragraph":
      // Leading spaces may be the indentation of code.
      return block.text.trimEnd().replace(/^\s*\n/, "");
    case "line":
      return block.text.trimEnd();
    case "item": {
      const indent = "  ".repeat(Math.min(Math.max(block.level, 0), 20));
      const lines = block.text.trim().replaceAll("\n", `\n${indent}  `);
      return `${indent}${block.marker} ${lines}`;
    }
    case "table":
      return markdownTable(block.rows);
    case "note":
      return `[^${block.label}]: ${block.text.trim().replaceAll("\n", "\n    ")}`;
  }
}

/** Shows blocks separated by empty lines, except between items, notes or lines. */
export function showBlocks(blocks: readonly Block[]): string {
  return blocks.map((block, index) => separator(blocks[index - 1], block) + showBlock(block)).join("");
}

export function separator(before: Block | undefined, block: Block): string {
  if (before === undefined) return "";
  return before.kind === block.kind && adjacentKinds.has(block.kind) ? "\n" : "\n\n";
}

const adjacentKinds: ReadonlySet<Block["kind"]> = new Set(["item", "note", "line"]);

/** Returns the text of a table cell: one line for each block, and for each row of a nested table. */
export function cellText(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      if (block.kind !== "table") return block.kind === "heading" ? inOneLine(block.text) : showBlock(block);
      return block.rows.map((row) => row.filter((cell) => cell !== "").join(" ; ")).join("\n");
    })
    .join("\n");
}

function inOneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, " ");
}

/** Like `push`, for lists that are too long for the arguments of one call. */
export function append<One>(into: One[], ...lists: readonly Iterable<One>[]): void {
  for (const list of lists) for (const one of list) into.push(one);
}

/** Returns a Markdown link, or only its text when the target is inside the document. */
export function link(text: string, target: string | undefined): string {
  const label = text.trim();
  if (target === undefined || target === "" || target.startsWith("#") || label === "") return text;
  if (label === target || `mailto:${label}` === target) return text;
  const address = /[\s()<>]/.test(target) ? `<${target.replaceAll(/[\s<>]/g, encodeURIComponent)}>` : target;
  const before = text.slice(0, text.length - text.trimStart().length);
  const after = text.slice(text.trimEnd().length);
  return `${before}[${label.replaceAll(/[[\]]/g, "\\$&")}](${address})${after}`;
}

/** Numbers the notes of a kind: "2" for a footnote, "comment-2" for other kinds. */
export function nextLabel(cited: Map<string, number>, kind: string): string {
  const count = (cited.get(kind) ?? 0) + 1;
  cited.set(kind, count);
  return kind === "footnote" ? `${count}` : `${kind}-${count}`;
}

export function commentBy(author: string | undefined, day: string | undefined): string {
  return `comment by ${author || "an unknown author"}${day ? ` (${day})` : ""}: `;
}

/** Returns the placeholder of a picture, with its description. */
export function picture(description: string | undefined): string {
  return `![${(description ?? "").trim().replaceAll(/\s+/g, " ").replaceAll(/[[\]]/g, "\\$&")}]`;
}

/** Returns a Markdown table with the first row as its header. Rows may differ in length. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const [head = [], ...others] = rows;
  const rule = `|${"---|".repeat(width)}`;
  return [markdownRow(head, width), rule, ...others.map((row) => markdownRow(row, width))].join("\n");
}

export function markdownRow(cells: readonly string[], width: number = cells.length): string {
  let row = "|";
  for (let column = 0; column < width; column += 1) {
    const cell = cells[column];
    row += cell ? ` ${markdownCell(cell)} |` : " |";
  }
  return row;
}

/** Escapes characters that would end the cell or the row. */
export function markdownCell(text: string): string {
  if (!/[|\n\r]|^\s|\s$/.test(text)) return text;
  return text
    .trim()
    .replaceAll("|", "\\|")
    .replace(/\s*(?:\r\n?|\n)\s*/g, "<br>");
}

/** Returns notes about content that the text does not show, or shows in another way. */
export function notesOnTally(
  tally: { readonly [Kind in "changes" | "hidden" | "pictures" | "embedded"]?: number },
  { embedded: name = "embedded object", here = "" } = {},
): string[] {
  const { changes = 0, hidden = 0, pictures = 0, embedded = 0 } = tally;
  return [
    changes > 0 ? `has ${counted(changes, "tracked change")}, shown as accepted` : "",
    hidden > 0 ? `has hidden text in ${counted(hidden, "place")}, shown like the rest` : "",
    pictures > 0 ? `has ${counted(pictures, "picture")}${here}, shown as ![description]` : "",
    embedded > 0 ? `has ${counted(embedded, name)}${here}, not shown` : "",
  ].filter((note) => note !== "");
}
