import type { DocumentReader } from "./reader.ts";

/** A format that can be read. `detect-format.ts` recognises it by its bytes. */
export interface Format {
  readonly description: string;
  /** As servers and signatures name it. */
  readonly mediaTypes: readonly string[];
  /** In lower case, without the dot. */
  readonly extensions: readonly string[];
  /** Loaded by the first document of the format. */
  readonly reader: () => Promise<DocumentReader>;
}

/** What has no other format. */
export const plainText: Format = {
  description: "text",
  mediaTypes: ["text/plain"],
  extensions: ["txt", "md", "log"],
  reader: async () => (await import("./formats/text.ts")).readText,
};

/** Every format. A new one is its reader and a line here. */
export const formats: Readonly<Record<string, Format>> = {
  text: plainText,
  image: {
    description: "picture",
    mediaTypes: [
      "image/png",
      "image/jpeg",
      "image/gif",
      "image/webp",
      "image/bmp",
      "image/tiff",
      "image/x-icon",
      "image/avif",
      "image/heic",
    ],
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
    mediaTypes: [
      "application/zip",
      "application/java-archive",
      "application/x-tar",
      "application/gzip",
      "application/zstd",
    ],
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
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
      "application/vnd.ms-word.document.macroenabled.12",
    ],
    extensions: ["docx", "docm", "dotx", "dotm"],
    reader: async () => (await import("./formats/docx/read-docx.ts")).readDocx,
  },
  odt: {
    description: "OpenDocument text",
    mediaTypes: [
      "application/vnd.oasis.opendocument.text",
      "application/vnd.oasis.opendocument.text-template",
      "application/vnd.oasis.opendocument.text-master",
    ],
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
      "application/vnd.openxmlformats-officedocument.presentationml.presentation",
      "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
      "application/vnd.openxmlformats-officedocument.presentationml.template",
      "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    ],
    extensions: ["pptx", "pptm", "ppsx", "ppsm", "potx", "potm"],
    reader: async () => (await import("./formats/pptx/read-pptx.ts")).readPptx,
  },
  odp: {
    description: "OpenDocument presentation",
    mediaTypes: [
      "application/vnd.oasis.opendocument.presentation",
      "application/vnd.oasis.opendocument.presentation-template",
      "application/vnd.oasis.opendocument.graphics",
      "application/vnd.oasis.opendocument.graphics-template",
    ],
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
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
      "application/vnd.ms-excel.sheet.macroenabled.12",
    ],
    extensions: ["xlsx", "xlsm", "xltx", "xltm"],
    reader: async () => (await import("./formats/xlsx/read-xlsx.ts")).readXlsx,
  },
  ods: {
    description: "OpenDocument spreadsheet",
    mediaTypes: [
      "application/vnd.oasis.opendocument.spreadsheet",
      "application/vnd.oasis.opendocument.spreadsheet-template",
    ],
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
