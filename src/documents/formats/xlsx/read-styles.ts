import type { Package } from "../office/open-package.ts";
import { kindOfPattern, type NumberKind } from "../sheets/show-number.ts";

/** By the number of a style, as cells name it: what its numbers are. */
export function readStyles(opened: Package, part: string | undefined): readonly NumberKind[] {
  const reader = part === undefined ? undefined : opened.open(part);
  if (!reader?.child(0)) return [];
  const patterns = new Map<string, NumberKind>();
  const styles: NumberKind[] = [];
  const { depth } = reader;
  while (reader.child(depth)) {
    const list = reader.name;
    if (list !== "x:numFmts" && list !== "x:cellXfs") continue;
    const within = reader.depth;
    while (reader.child(within)) {
      if (reader.name === "x:numFmt")
        patterns.set(reader.attribute("numFmtId") ?? "", kindOfPattern(reader.attribute("formatCode") ?? ""));
      else if (reader.name === "x:xf") {
        const id = reader.attribute("numFmtId") ?? "0";
        styles.push(patterns.get(id) ?? kindOfNumber(Number(id)));
      }
    }
  }
  return styles;
}

/** Formats that every workbook has without saying what they are; some are those of East Asian dates. */
function kindOfNumber(id: number): NumberKind {
  if (id === 9 || id === 10) return "percent";
  if (id === 22) return "date-time";
  if (id === 46) return "duration";
  if ((id >= 18 && id <= 21) || id === 45 || id === 47 || (id >= 32 && id <= 35)) return "time";
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)) return "date";
  return "plain";
}
