import type { XmlReader } from "../../xml/xml-reader.ts";

interface ParagraphStyle {
  /** The level, 1 for the highest; undefined for text. */
  readonly heading: number | undefined;
  readonly numberedBy: string | undefined;
  readonly level: number | undefined;
}

/** Paragraph styles by id, including inherited properties. */
export type Styles = ReadonlyMap<string, ParagraphStyle>;

interface Declared {
  name: string;
  basedOn?: string | undefined;
  outline?: number | undefined;
  numberedBy?: string;
  level?: number;
}

export function readStyles(reader: XmlReader | undefined): Styles {
  const declared = new Map<string, Declared>();
  for (const name of reader?.children() ?? [])
    if (name === "w:style") declared.set(reader!.attribute("w:styleId") ?? "", readStyle(reader!));
  return new Map(Array.from(declared, ([id, style]) => [id, resolve(style, declared)]));
}

function readStyle(reader: XmlReader): Declared {
  const style: Declared = { name: "" };
  for (const name of reader.children()) {
    if (name === "w:name") style.name = reader.attribute("w:val") ?? "";
    else if (name === "w:basedOn") style.basedOn = reader.attribute("w:val");
    else if (name === "w:pPr")
      for (const property of reader.children()) {
        if (property === "w:outlineLvl") style.outline = outlineOf(reader.attribute("w:val"));
        else if (property === "w:numPr") Object.assign(style, readNumbered(reader));
      }
  }
  return style;
}

export function readNumbered(reader: XmlReader): Pick<Declared, "numberedBy" | "level"> {
  const found: Pick<Declared, "numberedBy" | "level"> = {};
  for (const name of reader.children()) {
    const value = reader.attribute("w:val");
    if (value === undefined) continue;
    if (name === "w:numId") found.numberedBy = value;
    else if (name === "w:ilvl") found.level = Number(value);
  }
  return found;
}

/** Parses an outline level, which counts from 0. Level 9 is body text. */
export function outlineOf(value: string | undefined): number | undefined {
  const level = Number(value);
  return value !== undefined && level >= 0 && level <= 9 ? level : undefined;
}

function resolve(style: Declared, declared: ReadonlyMap<string, Declared>): ParagraphStyle {
  const chain: Declared[] = [];
  // The length is limited, because a style may be based on itself.
  for (let next: Declared | undefined = style; next && chain.length < 20; )
    next = declared.get(chain[chain.push(next) - 1]!.basedOn ?? "");
  const first = <Key extends keyof Declared>(key: Key) =>
    chain.find((each) => each[key] !== undefined)?.[key] as Declared[Key] | undefined;
  const outline = first("outline");
  // Word stores these names in English, whatever its display language.
  const named = chain.map(({ name }) => /^heading (\d)$/i.exec(name)?.[1]).find(Boolean);
  const title = /^title$/i.test(style.name) ? 1 : undefined;
  const heading = outline === undefined ? (named === undefined ? title : Number(named)) : outline + 1;
  return {
    heading: heading === undefined || heading > 9 ? undefined : heading,
    numberedBy: first("numberedBy"),
    level: first("level"),
  };
}
