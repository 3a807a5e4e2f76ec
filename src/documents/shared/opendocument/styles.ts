import type { XmlReader } from "../../xml/xml-reader.ts";
import { formatListNumber, type ListNumberStyle } from "../list-numbers.ts";

/** The styles that affect the text. */
export interface OpenDocumentStyles {
  readonly listStyles: Map<string, ListStyle>;
  readonly listOfStyle: Map<string, string>;
  /** Paragraph styles that keep spaces and line breaks. */
  readonly preformatted: Set<string>;
  /** Paragraph styles of the document's title. */
  readonly titles: Set<string>;
  readonly hidden: Set<string>;
  outline: ListStyle | undefined;
}

export function noStyles(): OpenDocumentStyles {
  return {
    listStyles: new Map(),
    listOfStyle: new Map(),
    preformatted: new Set(["Preformatted_20_Text"]),
    titles: new Set(["Title"]),
    hidden: new Set(),
    outline: undefined,
  };
}

/** Reads `office:styles` or `office:automatic-styles`. */
export function readStyles(reader: XmlReader, styles: OpenDocumentStyles): void {
  for (const kind of reader.children()) {
    const name = reader.attribute("style:name") ?? "";
    if (kind === "text:list-style") styles.listStyles.set(name, readListStyle(reader));
    else if (kind === "text:outline-style") styles.outline = readListStyle(reader);
    else if (kind === "style:style") {
      const list = reader.attribute("style:list-style-name");
      if (list !== undefined && list !== "") styles.listOfStyle.set(name, list);
      const parent = reader.attribute("style:parent-style-name") ?? "";
      if (styles.preformatted.has(parent)) styles.preformatted.add(name);
      if (parent === "Title") styles.titles.add(name);
      for (const _ of reader.children())
        if (reader.attribute("presentation:visibility") === "hidden") styles.hidden.add(name);
    }
  }
}

/** The markers of a list by level, counted from 0. */
export type ListStyle = ReadonlyMap<number, ListLevel>;

interface ListLevel {
  readonly isBullet: boolean;
  readonly style: ListNumberStyle;
  readonly prefix: string;
  readonly suffix: string;
  /** The number of levels that the marker shows: 2 for "3.1". */
  readonly shownLevels: number;
  readonly start: number;
}

function readListStyle(reader: XmlReader): ListStyle {
  const levels = new Map<number, ListLevel>();
  for (const name of reader.children()) {
    const format = reader.attribute("style:num-format") ?? "";
    levels.set(Number(reader.attribute("text:level")) - 1, {
      isBullet: /-(?:bullet|image)$/.test(name),
      style: isCountStyle(format) ? format : "1",
      prefix: reader.attribute("style:num-prefix") ?? "",
      suffix: reader.attribute("style:num-suffix") ?? "",
      shownLevels: Number(reader.attribute("text:display-levels") ?? 1),
      start: Number(reader.attribute("text:start-value") ?? 1),
    });
  }
  return levels;
}

export class ListCounter {
  readonly #counts: (number | undefined)[] = [];

  /** Returns the marker of the next item; "" for an item without a marker. Without a style, it is a bullet. */
  next(style: ListStyle | undefined, level: number, start?: number): string {
    const of = (each: number) => style?.get(each);
    for (let upper = 0; upper < level; upper += 1) this.#counts[upper] ??= of(upper)?.start ?? 1;
    const before = this.#counts[level];
    this.#counts[level] = start ?? (before === undefined ? (of(level)?.start ?? 1) : before + 1);
    this.#counts.length = level + 1;
    const own = of(level);
    if (own === undefined || own.isBullet) return "-";
    if (own.style === "") return (own.prefix + own.suffix).trim();
    const first = Math.max(0, level + 1 - own.shownLevels);
    const numbers = this.#counts
      .slice(first)
      .map((count, index) => formatListNumber(count ?? 1, of(first + index)?.style ?? "1"))
      .filter((number) => number !== "");
    return own.prefix + numbers.join(".") + own.suffix;
  }
}

function isCountStyle(format: string): format is ListNumberStyle {
  return ["1", "a", "A", "i", "I", ""].includes(format);
}
