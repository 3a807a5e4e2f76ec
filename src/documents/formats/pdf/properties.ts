import type { Pdf } from "./open-pdf.ts";

/** What a document says of itself. */
export function readProperties(pdf: Pdf): Readonly<Record<string, string>> {
  const { pdfium, document } = pdf;
  const properties: Record<string, string> = {};
  for (const [name, key] of Object.entries(keys)) {
    const value = pdf
      .text((buffer, bytes) => pdfium.FPDF_GetMetaText(document, pdf.name(key), buffer, bytes))
      .replaceAll(/\s+/g, " ")
      .trim()
      .slice(0, 500);
    if (value !== "") properties[name] = key.endsWith("Date") ? isoTime(value) : value;
  }
  const size = pdf.numbers(2, "f32", (at) => pdfium.FPDF_GetPageSizeByIndexF(document, 0, at));
  if (size) properties["page size"] = pageSize(size[0]!, size[1]!);
  return properties;
}

const keys = {
  title: "Title",
  author: "Author",
  subject: "Subject",
  keywords: "Keywords",
  created: "CreationDate",
  modified: "ModDate",
  software: "Creator",
  producer: "Producer",
};

/** "D:20261115173538+01'00'" as others write it; what is no such time stays as it is. */
function isoTime(text: string): string {
  const match = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-])(\d\d)'?(\d\d)?)?/.exec(text);
  if (!match) return text;
  const [, year, month, day, hour, minute = "00", second = "00", isUtc, sign, zoneHour, zoneMinute = "00"] =
    match;
  const date = [year, month, day].filter((part) => part !== undefined).join("-");
  if (hour === undefined || day === undefined) return date;
  const zone = isUtc ?? (sign === undefined ? "" : `${sign}${zoneHour}:${zoneMinute}`);
  return `${date}T${hour}:${minute}:${second}${zone}`;
}

/** In points, of which an inch has 72. */
function pageSize(width: number, height: number): string {
  const [across, down] = [width, height].map((points) => Math.round((points / 72) * 25.4));
  const sides = [across!, down!].sort((one, other) => one - other);
  const name = knownSizes[sides.join("x")];
  return `${across} × ${down} mm${name === undefined ? "" : ` (${name})`}`;
}

const knownSizes: Readonly<Record<string, string>> = {
  "297x420": "A3",
  "210x297": "A4",
  "148x210": "A5",
  "216x279": "Letter",
  "216x356": "Legal",
};
