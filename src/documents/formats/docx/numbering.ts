import { formatListNumber, type ListNumberStyle } from "../../shared/list-numbers.ts";
import type { XmlReader } from "../../xml/xml-reader.ts";
import type { Styles } from "./styles.ts";

/** Numbers list items as Word does, in document order. */
export class Numbering {
  readonly #lists = new Map<string, List>();
  readonly #abstract = new Map<string, Abstract>();
  readonly #styles: Styles;
  /** The counters of each abstract list. Lists that share one continue each other's numbers. */
  readonly #counters = new Map<string, (number | undefined)[]>();
  readonly #begun = new Set<string>();

  constructor(reader: XmlReader | undefined, styles: Styles) {
    this.#styles = styles;
    for (const name of reader?.children() ?? []) {
      if (name === "w:abstractNum")
        this.#abstract.set(reader!.attribute("w:abstractNumId") ?? "", readAbstract(reader!));
      else if (name === "w:num") this.#lists.set(reader!.attribute("w:numId") ?? "", readList(reader!));
    }
  }

  /** Returns the marker of the next item; undefined when there is no such list, "" for an item without a marker. */
  next(id: string, at: number): string | undefined {
    const list = this.#lists.get(id);
    if (!list) return undefined;
    const [abstractId, abstract] = this.#abstractOf(list.abstract);
    const level = Math.min(Math.max(at, 0), 8);
    const define = (each: number) => list.levels.get(each) ?? abstract?.levels.get(each) ?? plain;
    const counters = this.#counters.get(abstractId) ?? [];
    this.#counters.set(abstractId, counters);
    if (!this.#begun.has(id)) {
      this.#begun.add(id);
      for (const [each, start] of list.starts) counters[each] = start - 1;
    }
    for (let upper = 0; upper < level; upper += 1) counters[upper] ??= define(upper).start;
    const count = counters[level];
    counters[level] = count === undefined ? define(level).start : count + 1;
    for (let lower = level + 1; lower < 9; lower += 1)
      if (define(lower).restarts) counters[lower] = undefined;
    const { text, isBullet, isLegal } = define(level);
    if (isBullet) return text === "" ? "" : "-";
    return text.replaceAll(/%([1-9])/g, (_, digit: string) => {
      const of = Number(digit) - 1;
      const { style } = define(of);
      return formatListNumber(counters[of] ?? define(of).start, isLegal && style !== "" ? "1" : style);
    });
  }

  /** Resolves an abstract list, which may refer to the list of a style. */
  #abstractOf(id: string): readonly [string, Abstract | undefined] {
    const found = this.#abstract.get(id);
    if (found?.styleLink === undefined) return [id, found];
    const linked = this.#lists.get(this.#styles.get(found.styleLink)?.numberedBy ?? "")?.abstract;
    return linked === undefined ? [id, found] : [linked, this.#abstract.get(linked)];
  }
}

interface Level {
  readonly start: number;
  readonly style: ListNumberStyle;
  readonly text: string;
  readonly isBullet: boolean;
  /** Whether numbering restarts after an item of a higher level. */
  readonly restarts: boolean;
  /** Whether the numbers of higher levels are shown in digits. */
  readonly isLegal: boolean;
}

interface Abstract {
  readonly levels: ReadonlyMap<number, Level>;
  readonly styleLink: string | undefined;
}

interface List {
  readonly abstract: string;
  readonly levels: ReadonlyMap<number, Level>;
  readonly starts: ReadonlyMap<number, number>;
}

const plain: Level = { start: 1, style: "1", text: "", isBullet: false, restarts: true, isLegal: false };

const styles: Readonly<Record<string, ListNumberStyle>> = {
  lowerLetter: "a",
  upperLetter: "A",
  lowerRoman: "i",
  upperRoman: "I",
  decimalZero: "01",
  none: "",
};

function readAbstract(reader: XmlReader): Abstract {
  const levels = new Map<number, Level>();
  let styleLink: string | undefined;
  for (const name of reader.children()) {
    if (name === "w:lvl") levels.set(Number(reader.attribute("w:ilvl")), readLevel(reader));
    else if (name === "w:numStyleLink") styleLink = reader.attribute("w:val");
  }
  return { levels, styleLink };
}

function readList(reader: XmlReader): List {
  const levels = new Map<number, Level>();
  const starts = new Map<number, number>();
  let abstract = "";
  for (const name of reader.children()) {
    if (name === "w:abstractNumId") abstract = reader.attribute("w:val") ?? "";
    if (name !== "w:lvlOverride") continue;
    const at = Number(reader.attribute("w:ilvl"));
    for (const override of reader.children()) {
      if (override === "w:startOverride") starts.set(at, Number(reader.attribute("w:val")));
      else if (override === "w:lvl") levels.set(at, readLevel(reader));
    }
  }
  return { abstract, levels, starts };
}

function readLevel(reader: XmlReader): Level {
  const level: { -readonly [Key in keyof Level]: Level[Key] } = { ...plain };
  for (const name of reader.children()) {
    const value = reader.attribute("w:val");
    if (name === "w:start") level.start = Number(value ?? 1);
    // The length is limited, because a marker is written before every item.
    else if (name === "w:lvlText") level.text = (value ?? "").slice(0, 100);
    else if (name === "w:lvlRestart") level.restarts = value !== "0";
    else if (name === "w:isLgl") level.isLegal = value !== "0" && value !== "false";
    else if (name === "w:numFmt") {
      level.isBullet = value === "bullet";
      level.style = styles[value ?? ""] ?? "1";
    }
  }
  return level;
}
