import type { XmlReader } from "../xml/xml-reader.ts";

/** Converts an Office equation to typed form: a fraction as (a)/(b), a power as a^b. */
export function readEquation(reader: XmlReader): string {
  let text = "";
  for (const _ of reader.children()) text += readElement(reader);
  return text;
}

function readElement(reader: XmlReader): string {
  switch (reader.name) {
    case "m:t":
    case "w:t":
      return reader.content();
    case "m:f": {
      const { num = "", den = "" } = readArguments(reader);
      return `${grouped(num)}/${grouped(den)}`;
    }
    case "m:sSup":
    case "m:sSub":
    case "m:sSubSup":
    case "m:sPre": {
      const { e = "", sub = "", sup = "" } = readArguments(reader);
      return grouped(e) + (sub && `_${grouped(sub)}`) + (sup && `^${grouped(sup)}`);
    }
    case "m:rad": {
      const { deg = "", e = "" } = readArguments(reader);
      return deg === "" ? `√${grouped(e)}` : `root(${deg}, ${e})`;
    }
    case "m:nary": {
      const { e = "", sub = "", sup = "", sign = "∫" } = readArguments(reader);
      return `${sign}${sub && `_${grouped(sub)}`}${sup && `^${grouped(sup)}`} ${e}`;
    }
    case "m:d": {
      const { e = "", open = "(", close = ")" } = readArguments(reader);
      return open + e + close;
    }
    case "m:func": {
      const { fName = "", e = "" } = readArguments(reader);
      return `${fName}${grouped(e)}`;
    }
    case "w:del":
      return "";
    case "m:mr":
      return `${readEquation(reader)}; `;
    default:
      return reader.name.endsWith("Pr") ? "" : readEquation(reader);
  }
}

/** Reads the parts of a construct by name, and the signs set by its properties. */
function readArguments(reader: XmlReader): { [name: string]: string | undefined } {
  const found: { [name: string]: string | undefined } = {};
  for (const child of reader.children()) {
    const name = child.slice(2);
    if (name.endsWith("Pr"))
      for (const property of reader.children()) {
        const sign = signs.get(property);
        if (sign !== undefined) found[sign] = reader.attribute("m:val") ?? "";
      }
    else
      found[name] =
        found[name] === undefined ? readEquation(reader) : `${found[name]}, ${readEquation(reader)}`;
  }
  return found;
}

const signs: ReadonlyMap<string, string> = new Map([
  ["m:chr", "sign"],
  ["m:begChr", "open"],
  ["m:endChr", "close"],
]);

/** Puts a text in parentheses, unless it is one word or sign. */
function grouped(text: string): string {
  const plain = text.trim();
  return /^(?:.?|[\p{L}\p{N}.]+)$/su.test(plain) ? plain : `(${plain})`;
}

/** Converts a MathML equation to typed form: a fraction as (a)/(b), a power as a^b. */
export function readMath(reader: XmlReader): string {
  const [, shape = ""] = /^math:(.*)$/.exec(reader.name) ?? [];
  // An annotation repeats the equation as it was typed.
  if (shape.startsWith("annotation")) return "";
  const parts = readParts(reader);
  const [base = "", first = "", second = ""] = parts.map(grouped);
  const joined = parts.length === 2 ? ofTwo.get(shape) : undefined;
  if (joined !== undefined) return joined(base, first);
  if (parts.length === 3 && /^m(?:subsup|underover)$/.test(shape)) return `${base}_${first}^${second}`;
  const text = parts.filter((part) => part !== "").join(" ");
  if (shape === "msqrt") return `√${grouped(text)}`;
  return shape === "mtr" ? `${text};` : text;
}

const ofTwo: ReadonlyMap<string, (base: string, other: string) => string> = new Map([
  ["msup", (base, power) => `${base}^${power}`],
  ["mover", (base, above) => `${base}^${above}`],
  ["msub", (base, index) => `${base}_${index}`],
  ["munder", (base, below) => `${base}_${below}`],
  ["mfrac", (above, below) => `${above}/${below}`],
  ["mroot", (base, degree) => `root(${degree}, ${base})`],
]);

function readParts(reader: XmlReader): readonly string[] {
  const { depth } = reader;
  const parts: string[] = [];
  for (let node = reader.node(depth); node; node = reader.node(depth)) {
    if (node === "element") parts.push(readMath(reader));
    else if (reader.text.trim() !== "") parts.push(reader.text.trim());
  }
  return parts;
}
