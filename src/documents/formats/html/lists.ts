import type { Element, Node } from "./element.ts";
import { isNoteList } from "./notes.ts";
import { isLeftOut, type Page } from "./page.ts";
import { writeFlow, writeLine } from "./write-blocks.ts";
import { writeInline } from "./write-inline.ts";
import type { MarkdownWriter } from "./writer.ts";

export function writeList(list: Element, writer: MarkdownWriter, page: Page): void {
  const items = list.children.filter((child) => typeof child !== "string" || child.trim() !== "");
  const isTight = items.every(isOneParagraph);
  const markerOf = markersOf(list);
  let isFirst = true;
  for (const item of items) {
    if (typeof item !== "string" && isLeftOut(item, page)) continue;
    if (isTight && (!isFirst || list.parent?.name === "li")) writer.joinNext();
    isFirst = false;
    // What is in a list without being an item is shown in its place.
    if (typeof item === "string" || item.name !== "li") {
      writeFlow([item], writer, page);
      continue;
    }
    const marker = markerOf(item);
    const indent = marker.startsWith("[^") ? 4 : marker.length;
    writer.within(marker, " ".repeat(indent), () => writeFlow(item.children, writer, page));
  }
}

/** Terms on lines of their own, what they mean below, as Markdown of many programs has it. */
export function writeDefinitions(list: Element, writer: MarkdownWriter, page: Page): void {
  for (const child of list.children) {
    if (typeof child === "string") {
      if (child.trim() !== "") writeFlow([child], writer, page);
    } else if (isLeftOut(child, page)) continue;
    else if (child.name === "dt") writeLine(writer, (inline) => writeInline(child, inline, page));
    else if (child.name === "dd") {
      writer.joinNext();
      writer.within(": ", "  ", () => writeFlow(child.children, writer, page));
    } else if (child.name === "div") writeDefinitions(child, writer, page);
    else writeFlow([child], writer, page);
  }
}

/** What stands before each item, asked in their order. */
function markersOf(list: Element): (item: Element) => string {
  const isNotes = isNoteList(list) || (list.parent !== undefined && isNoteList(list.parent));
  let number = (Number.parseInt(list.attributes.start ?? "", 10) || 1) - 1;
  return ({ attributes }) => {
    const value = Number.parseInt(attributes.value ?? "", 10);
    number = Number.isNaN(value) ? number + 1 : value;
    if (isNotes) return `[^${number}]: `;
    return list.name === "ol" ? `${number}. ` : "- ";
  };
}

/** Whether items can follow each other without empty lines: none has more than one paragraph beside its lists. */
function isOneParagraph(item: Node): boolean {
  if (typeof item === "string") return true;
  let paragraphs = 0;
  let isInText = false;
  for (const child of item.children) {
    if (typeof child === "string" && child.trim() === "") continue;
    const isBlock = typeof child !== "string" && child.isBlock;
    if (isBlock ? child.name !== "ul" && child.name !== "ol" : !isInText) paragraphs += 1;
    isInText = !isBlock;
  }
  return paragraphs <= 1;
}
