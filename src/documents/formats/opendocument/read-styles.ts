import type { XmlReader } from "../../xml/xml-reader.ts";
import { type ListStyle, readListStyle } from "./lists.ts";

/** What the styles of a file say that changes what its text says. */
export interface OpenDocumentStyles {
  readonly listStyles: Map<string, ListStyle>;
  readonly listOfStyle: Map<string, string>;
  /** Styles of paragraphs whose layout is kept. */
  readonly preformatted: Set<string>;
  /** Styles of what the whole document is called. */
  readonly titles: Set<string>;
  /** Styles of pages that are not shown. */
  readonly hidden: Set<string>;
  outline: ListStyle | undefined;
}

export function noStyles(): OpenDocumentStyles {
  return {
    listStyles: new Map(),
    listOfStyle: new Map(),
    preformatted: new Set([preformatted]),
    titles: new Set(["Title"]),
    hidden: new Set(),
    outline: undefined,
  };
}

/** As all programs name it. */
const preformatted = "Preformatted_20_Text";

/** The reader stands at `office:styles` or `office:automatic-styles`. */
export function readStyles(reader: XmlReader, styles: OpenDocumentStyles): void {
  const { depth } = reader;
  while (reader.child(depth)) {
    const name = reader.attribute("style:name") ?? "";
    if (reader.name === "text:list-style") styles.listStyles.set(name, readListStyle(reader));
    else if (reader.name === "text:outline-style") styles.outline = readListStyle(reader);
    else if (reader.is("style:style")) {
      const list = reader.attribute("style:list-style-name");
      if (list !== undefined && list !== "") styles.listOfStyle.set(name, list);
      const parent = reader.attribute("style:parent-style-name") ?? "";
      if (styles.preformatted.has(parent)) styles.preformatted.add(name);
      if (parent === "Title") styles.titles.add(name);
      const inside = reader.depth;
      while (reader.child(inside))
        if (reader.attribute("presentation:visibility") === "hidden") styles.hidden.add(name);
    }
  }
}
