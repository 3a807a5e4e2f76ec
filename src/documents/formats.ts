import type { DocumentReader } from "./reader.ts";

/** A format that can be read. `detect-format.ts` recognises it by its bytes. */
export interface Format {
  readonly description: string;
  /** The media types that servers and signatures name. */
  readonly mediaTypes: readonly string[];
  /** File extensions in lower case, without the dot. */
  readonly extensions: readonly string[];
  /** Loaded on first use of the format. */
  readonly reader: () => Promise<DocumentReader>;
}

const openXml = "application/vnd.openxmlformats-officedocument.";
const openDocument = "application/vnd.oasis.opendocument.";

/** The format of every text file that has no other. */
export const plainText: Format = {
  description: "text",
  mediaTypes: ["text/plain"],
  extensions: ["txt", "md", "log"],
  reader: async () => (await import("./formats/text.ts")).readText,
};

/** All formats. A new format needs its reader and a line here. */
export const formats: Readonly<Record<string, Format>> = {
  text: plainText,
  image: {
    description: "picture",
    mediaTypes: all("image/", "png jpeg gif webp bmp tiff x-icon avif heic"),
    extensions: [],
    reader: async () => (await import("./formats/image/read-image.ts")).readImage,
  },
  svg: {
    description: "SVG drawing",
    mediaTypes: ["image/svg+xml"],
    extensions: ["svg"],
    reader: async () => (await import("./formats/text.ts")).readSvg,
  },
  archive: {
    description: "archive",
    mediaTypes: all("application/", "zip java-archive x-tar gzip zstd"),
    extensions: [],
    reader: async () => (await import("./formats/archive/read-archive.ts")).readArchive,
  },
  html: {
    description: "web page",
    mediaTypes: ["text/html", "application/xhtml+xml"],
    extensions: ["html", "htm", "xhtml", "xht"],
    reader: async () => (await import("./formats/html/read-html.ts")).readHtml,
  },
  docx: {
    description: "Word document",
    mediaTypes: [
      ...all(`${openXml}wordprocessingml.`, "document template"),
      "application/vnd.ms-word.document.macroenabled.12",
    ],
    extensions: ["docx", "docm", "dotx", "dotm"],
    reader: async () => (await import("./formats/docx/read-docx.ts")).readDocx,
  },
  odt: {
    description: "OpenDocument text",
    mediaTypes: all(openDocument, "text text-template text-master"),
    extensions: ["odt", "ott", "odm"],
    reader: async () => (await import("./formats/odt.ts")).readOdt,
  },
  pdf: {
    description: "PDF document",
    mediaTypes: ["application/pdf"],
    extensions: ["pdf"],
    reader: async () => (await import("./formats/pdf/read-pdf.ts")).readPdf,
  },
  pptx: {
    description: "PowerPoint presentation",
    mediaTypes: [
      ...all(`${openXml}presentationml.`, "presentation slideshow template"),
      "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    ],
    extensions: ["pptx", "pptm", "ppsx", "ppsm", "potx", "potm"],
    reader: async () => (await import("./formats/pptx/read-pptx.ts")).readPptx,
  },
  odp: {
    description: "OpenDocument presentation",
    mediaTypes: all(openDocument, "presentation presentation-template graphics graphics-template"),
    extensions: ["odp", "otp", "odg", "otg"],
    reader: async () => (await import("./formats/odp.ts")).readOdp,
  },
  epub: {
    description: "EPUB book",
    mediaTypes: ["application/epub+zip"],
    extensions: ["epub"],
    reader: async () => (await import("./formats/epub.ts")).readEpub,
  },
  rtf: {
    description: "RTF document",
    mediaTypes: ["application/rtf", "text/rtf", "text/richtext"],
    extensions: ["rtf"],
    reader: async () => (await import("./formats/rtf/read-rtf.ts")).readRtf,
  },
  notebook: {
    description: "Jupyter notebook",
    mediaTypes: ["application/x-ipynb+json"],
    extensions: ["ipynb"],
    reader: async () => (await import("./formats/notebook/read-notebook.ts")).readNotebook,
  },
  xlsx: {
    description: "Excel workbook",
    mediaTypes: [
      ...all(`${openXml}spreadsheetml.`, "sheet template"),
      "application/vnd.ms-excel.sheet.macroenabled.12",
    ],
    extensions: ["xlsx", "xlsm", "xltx", "xltm"],
    reader: async () => (await import("./formats/xlsx/read-xlsx.ts")).readXlsx,
  },
  ods: {
    description: "OpenDocument spreadsheet",
    mediaTypes: all(openDocument, "spreadsheet spreadsheet-template"),
    extensions: ["ods", "ots"],
    reader: async () => (await import("./formats/ods.ts")).readOds,
  },
  csv: {
    description: "table of separated values",
    mediaTypes: ["text/csv", "text/tab-separated-values"],
    extensions: ["csv", "tsv", "tab"],
    reader: async () => (await import("./formats/csv.ts")).readCsv,
  },
};

function all(prefix: string, names: string): readonly string[] {
  return names.split(" ").map((name) => prefix + name);
}
