import type { XmlReader } from "../../xml/xml-reader.ts";
import { grouped } from "../office/equation.ts";

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
