import type { XmlReader } from "../../xml/xml-reader.ts";

interface ParagraphStyle {
  /** 1 for the highest; undefined for what is no heading. */
  readonly heading: number | undefined;
  readonly numberedBy: string | undefined;
  readonly level: number | undefined;
}

/** Styles by their names in the file. What one does not say is said by the one it is based on. */
export type Styles = ReadonlyMap<string, ParagraphStyle>;

interface Declared {
  name: string;
  basedOn: string | undefined;
  outline: number | undefined;
  numberedBy: string | undefined;
  level: number | undefined;
}

export function readStyles(reader: XmlReader | undefined): Styles {
  const declared = new Map<string, Declared>();
  if (reader?.child(0)) {
    const { depth } = reader;
    while (reader.child(depth)) {
      const id = reader.attribute("w:styleId");
      if (reader.name === "w:style" && id !== undefined) declared.set(id, readStyle(reader));
    }
  }
  return new Map(Array.from(declared, ([id, style]) => [id, resolve(style, declared)]));
}

function readStyle(reader: XmlReader): Declared {
  const style: Declared = {
    name: "",
    basedOn: undefined,
    outline: undefined,
    numberedBy: undefined,
    level: undefined,
  };
  const { depth } = reader;
  while (reader.child(depth)) {
    if (reader.name === "w:name") style.name = reader.attribute("w:val") ?? "";
    else if (reader.name === "w:basedOn") style.basedOn = reader.attribute("w:val");
    else if (reader.is("w:pPr")) {
      const inside = reader.depth;
      while (reader.child(inside)) {
        if (reader.name === "w:outlineLvl") style.outline = outlineOf(reader.attribute("w:val"));
        else if (reader.name === "w:numPr") Object.assign(style, readNumbered(reader));
      }
    }
  }
  return style;
}

export function readNumbered(reader: XmlReader): { numberedBy?: string; level?: number } {
  const found: { numberedBy?: string; level?: number } = {};
  const { depth } = reader;
  while (reader.child(depth)) {
    const value = reader.attribute("w:val");
    if (value === undefined) continue;
    if (reader.name === "w:numId") found.numberedBy = value;
    else if (reader.name === "w:ilvl") found.level = Number(value);
  }
  return found;
}

/** Levels count from 0; 9 is text. */
export function outlineOf(value: string | undefined): number | undefined {
  const level = Number(value);
  return value !== undefined && level >= 0 && level <= 9 ? level : undefined;
}

function resolve(style: Declared, declared: ReadonlyMap<string, Declared>): ParagraphStyle {
  const chain: Declared[] = [];
  // A style based on itself has no end.
  for (let next: Declared | undefined = style; next && chain.length < 20; )
    next = declared.get(chain[chain.push(next) - 1]!.basedOn ?? "");
  const first = <Key extends keyof Declared>(key: Key) =>
    chain.find((each) => each[key] !== undefined)?.[key] as Declared[Key] | undefined;
  const outline = first("outline");
  // Word keeps these names in English, whatever language it shows them in.
  const named = chain.map(({ name }) => /^heading (\d)$/i.exec(name)?.[1]).find(Boolean);
  const title = /^title$/i.test(style.name) ? 1 : undefined;
  const heading = outline === undefined ? (named === undefined ? title : Number(named)) : outline + 1;
  return {
    heading: heading === undefined || heading > 9 ? undefined : heading,
    numberedBy: first("numberedBy"),
    level: first("level"),
  };
}
