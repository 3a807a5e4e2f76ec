import type { XmlReader } from "../xml/xml-reader.ts";

/** An equation of Office as one would type it: a fraction as (a)/(b), powers as a^b. The reader stands at its beginning. */
export function readEquation(reader: XmlReader): string {
  const { depth } = reader;
  let text = "";
  while (reader.child(depth)) text += readElement(reader);
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
    case "m:ctrlPr":
    case "m:rPr":
    case "w:rPr":
    case "w:del":
      return "";
    case "m:mr":
      return `${readEquation(reader)}; `;
    default:
      return reader.name.endsWith("Pr") ? "" : readEquation(reader);
  }
}

interface Arguments {
  [name: string]: string | undefined;
}

/** What the parts of one construct say, by their names; and the signs that its properties set. */
function readArguments(reader: XmlReader): Arguments {
  const found: Arguments = {};
  const { depth } = reader;
  while (reader.child(depth)) {
    const name = reader.name.slice(2);
    if (name.endsWith("Pr")) Object.assign(found, readSigns(reader));
    else
      found[name] =
        found[name] === undefined ? readEquation(reader) : `${found[name]}, ${readEquation(reader)}`;
  }
  return found;
}

function readSigns(reader: XmlReader): Arguments {
  const found: Arguments = {};
  const { depth } = reader;
  while (reader.child(depth)) {
    const value = reader.attribute("m:val") ?? "";
    if (reader.name === "m:chr") found.sign = value;
    else if (reader.name === "m:begChr") found.open = value;
    else if (reader.name === "m:endChr") found.close = value;
  }
  return found;
}

/** In brackets, unless it is one word or sign. */
function grouped(text: string): string {
  return [...text.trim()].length <= 1 || /^[\p{L}\p{N}.]+$/u.test(text.trim())
    ? text.trim()
    : `(${text.trim()})`;
}

/** An equation in MathML as one would type it: a fraction as (a)/(b), powers as a^b. The reader stands at its beginning. */
export function readMath(reader: XmlReader): string {
  const [, shape = ""] = /^math:(.*)$/.exec(reader.name) ?? [];
  // What was typed to make it says the same once more.
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
