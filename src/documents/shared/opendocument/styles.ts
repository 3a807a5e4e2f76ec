import type { XmlReader } from "../../xml/xml-reader.ts";
import { formatListNumber, type ListNumberStyle } from "../list-numbers.ts";

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

/** How the levels of a list are marked; levels count from 0. */
export type ListStyle = ReadonlyMap<number, ListLevel>;

interface ListLevel {
  readonly isBullet: boolean;
  readonly style: ListNumberStyle;
  readonly prefix: string;
  readonly suffix: string;
  /** How many levels its number shows: 2 for "3.1". */
  readonly shownLevels: number;
  readonly start: number;
}

/** The reader stands at a list style, or at the one of the outline. */
function readListStyle(reader: XmlReader): ListStyle {
  const levels = new Map<number, ListLevel>();
  const { depth } = reader;
  while (reader.child(depth)) {
    const level = Number(reader.attribute("text:level")) - 1;
    const format = reader.attribute("style:num-format") ?? "";
    levels.set(level, {
      isBullet: reader.name.endsWith("-bullet") || reader.name.endsWith("-image"),
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

  /** The marker of the next item; "" for an item that shows none. Without a style it is a bullet. */
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
