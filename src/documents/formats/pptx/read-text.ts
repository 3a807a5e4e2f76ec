import { type Block, link } from "../../shared/blocks.ts";
import { readEquation } from "../../shared/equations.ts";
import { formatListNumber, type ListNumberStyle } from "../../shared/list-numbers.ts";
import type { Relations } from "../../shared/office-package.ts";
import type { XmlReader } from "../../xml/xml-reader.ts";

/** Reads the paragraphs of a shape or cell. With `isList`, paragraphs are list items by default. */
export function readText(
  reader: XmlReader,
  relations: () => Relations,
  { isList }: { isList: boolean },
): Block[] {
  const blocks: Block[] = [];
  const counts: (number | undefined)[] = [];
  for (const name of reader.children()) {
    if (name !== "a:p") continue;
    const { text, level, bullet, number } = readParagraph(reader, relations);
    if (text.trim() === "") continue;
    counts.length = Math.min(counts.length, level + 1);
    counts[level] = number === undefined ? undefined : (counts[level] ?? number.start - 1) + 1;
    const marker = number ? number.show(counts[level]!) : (bullet ?? (isList || level > 0)) ? "-" : "";
    blocks.push(marker === "" ? { kind: "paragraph", text } : { kind: "item", level, marker, text });
  }
  return blocks;
}

interface Paragraph {
  text: string;
  level: number;
  bullet: boolean | undefined;
  number: { readonly start: number; readonly show: (count: number) => string } | undefined;
}

function readParagraph(reader: XmlReader, relations: () => Relations): Paragraph {
  const paragraph: Paragraph = { text: "", level: 0, bullet: undefined, number: undefined };
  for (const name of reader.children()) {
    if (name === "a:pPr") {
      paragraph.level = Math.min(Math.max(Number(reader.attribute("lvl") ?? 0) || 0, 0), 8);
      for (const property of reader.children()) {
        if (property === "a:buNone") paragraph.bullet = false;
        else if (property === "a:buChar" || property === "a:buBlip") paragraph.bullet = true;
        else if (property === "a:buAutoNum")
          paragraph.number = {
            start: Number(reader.attribute("startAt") ?? 1) || 1,
            show: numberStyle(reader.attribute("type") ?? ""),
          };
      }
    } else paragraph.text += readRun(reader, relations);
  }
  return paragraph;
}

function readRun(reader: XmlReader, relations: () => Relations): string {
  switch (reader.name) {
    case "a:br":
      return "\n";
    case "a:t":
      // A vertical tab is a line break within a title.
      return reader.content().replaceAll("\v", "\n");
    case "m:oMath":
    case "m:oMathPara":
      return readEquation(reader);
    case "a:rPr":
    case "a:endParaRPr":
    case "mc:Fallback":
      return "";
    default: {
      let text = "";
      let target: string | undefined;
      for (const name of reader.children()) {
        if (name !== "a:rPr") text += readRun(reader, relations);
        else
          for (const property of reader.children()) {
            if (property !== "a:hlinkClick") continue;
            const relation = relations().get(reader.attribute("r:id") ?? "");
            if (relation?.isOutside) target = relation.target;
          }
      }
      return link(text, target);
    }
  }
}

/** Returns a function that formats numbers: "arabicPeriod" as 1., "alphaLcParenR" as a), "romanUcParenBoth" as (I). */
function numberStyle(type: string): (count: number) => string {
  const [, kind = "", size = ""] = /^(alpha|roman)(Lc|Uc)/.exec(type) ?? [];
  const style = ({ alphaLc: "a", alphaUc: "A", romanLc: "i", romanUc: "I" } as const)[kind + size];
  const [before, after] = type.endsWith("Both")
    ? ["(", ")"]
    : type.endsWith("ParenR")
      ? ["", ")"]
      : ["", "."];
  return (count) => `${before}${formatListNumber(count, (style ?? "1") satisfies ListNumberStyle)}${after}`;
}
