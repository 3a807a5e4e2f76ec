import type { DocumentSource } from "../contract/document.ts";
import { ToolError } from "../contract/error.ts";
import { asBuffer } from "../lib/bytes/bytes.ts";
import { sniffMediaType, withArticle } from "../lib/bytes/media-type.ts";
import { detectEncoding, detectionBytes } from "../lib/text/encoding.ts";
import { showSize } from "../lib/text/format-quantity.ts";
import { Budget } from "./budget.ts";
import { isTarHeader } from "./formats/archive/tar.ts";
import { type Format, formats, plainText } from "./formats.ts";
import { encrypted } from "./reader.ts";
import { openZip } from "./zip/open-zip.ts";

/** Detects the format by the bytes, then by the media type, then by the name. Throws `unsupported` for other files. */
export function detectFormat(source: DocumentSource): Format {
  const { name, bytes } = source;
  const type = typeOfBytes(source);
  if (type !== undefined) return formatOf(type.mediaType) ?? refuse(name, bytes, type);
  const head = bytes.subarray(0, detectionBytes);
  const isBinary = detectEncoding(head, { complete: head.length === bytes.length }) === "binary";
  if (isBinary) return refuse(name, bytes, undefined);
  return typeOfText(source, head) ?? plainText;
}

interface Type {
  readonly mediaType: string;
  readonly description: string;
}

function typeOfBytes({ name, bytes }: DocumentSource): Type | undefined {
  const head = bytes.subarray(0, 8192);
  const type = sniffMediaType(head);
  if (isZip(head)) return typeOfZip(bytes, name) ?? type;
  if (type) return type;
  // Some PDF files begin with a few bytes of mail or web headers.
  const beginning = asBuffer(bytes.subarray(0, 1024));
  if (beginning.includes("%PDF-") && extensionOf(name) === "pdf") return pdf;
  return isTarHeader(bytes.subarray(0, 512)) ? tar : undefined;
}

const pdf: Type = { mediaType: "application/pdf", description: "PDF document" };
const tar: Type = { mediaType: "application/x-tar", description: "tar archive" };
const zip: Type = { mediaType: "application/zip", description: "ZIP archive" };

function isZip(head: Uint8Array): boolean {
  const mark = asBuffer(head.subarray(0, 4)).toString("latin1");
  return mark === "PK\x03\x04" || mark === "PK\x05\x06" || mark === "PK\x07\x08";
}

/** Detects the format by the entries; undefined for a damaged archive. */
function typeOfZip(bytes: Uint8Array, name: string): Type | undefined {
  try {
    const archive = openZip(bytes, name, new Budget(name));
    const mimetype = archive.find("mimetype");
    if (mimetype && mimetype.size < 200) {
      const declared = asBuffer(archive.read(mimetype)).toString("latin1").trim();
      const mediaType = declared.replace(/-template$/, "");
      if (formatOf(mediaType)) return { mediaType, description: "" };
      if (declared.startsWith("application/vnd.oasis.opendocument."))
        return { mediaType: declared, description: "OpenDocument file of another kind" };
    }
    if (!archive.find("[Content_Types].xml")) return zip;
    const has = (folder: string) => archive.entries.some((entry) => entry.name.startsWith(folder));
    if (has("word/")) return officeOpenXml("wordprocessingml.document");
    if (has("ppt/")) return officeOpenXml("presentationml.presentation");
    if (archive.find("xl/workbook.bin"))
      return { mediaType: binaryWorkbook, description: "binary Excel workbook" };
    return has("xl/") ? officeOpenXml("spreadsheetml.sheet") : zip;
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

const binaryWorkbook = "application/vnd.ms-excel.sheet.binary.macroenabled.12";

function officeOpenXml(kind: string): Type {
  return {
    mediaType: `application/vnd.openxmlformats-officedocument.${kind}`,
    description: "Office document",
  };
}

function typeOfText({ name, mediaType }: DocumentSource, head: Uint8Array): Format | undefined {
  const beginning = withoutPrologue(asBuffer(head.subarray(0, 4096)).toString("latin1"));
  if (beginning.startsWith("{\\rtf")) return formatOf("application/rtf");
  const declared = mediaType?.replace(/;.*/s, "").trim().toLowerCase();
  // Servers send unknown types as text/plain.
  if (declared !== undefined && declared !== "text/plain" && formatOf(declared)) return formatOf(declared);
  const extension = extensionOf(name);
  const byName = Object.values(formats).find(({ extensions }) => extensions.includes(extension));
  if (byName) return byName;
  if (/^<svg\b/i.test(beginning)) return formatOf("image/svg+xml");
  return /^<(?:!doctype\s+html|html)\b/i.test(beginning) ? formatOf("text/html") : undefined;
}

/** Removes the byte-order mark, the zero bytes of UTF-16, XML declarations and comments. */
function withoutPrologue(beginning: string): string {
  const characters = beginning.replaceAll("\0", "").replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, "");
  return characters.replace(/^(?:\s|<\?xml[^>]*>|<!--.*?-->)*/is, "");
}

function formatOf(mediaType: string): Format | undefined {
  return Object.values(formats).find(({ mediaTypes }) => mediaTypes.includes(mediaType));
}

/** Returns the extension of a file name or URL, in lower case. */
function extensionOf(name: string): string {
  return /\.(\w+)(?:[?#].*)?$/.exec(name)?.[1]?.toLowerCase() ?? "";
}

function refuse(name: string, bytes: Uint8Array, type: Type | undefined): never {
  if (type?.mediaType === "application/x-ole-storage") {
    if (asBuffer(bytes).includes(Buffer.from("EncryptedPackage", "utf16le"))) throw encrypted(name);
    throw new ToolError(
      "unsupported",
      `${name} is in a binary format of old Microsoft Office, which cannot be read`,
      {
        hint: "Convert it first, with LibreOffice for example: soffice --headless --convert-to docx (or xlsx, pptx) FILE.",
      },
    );
  }
  const kind = type
    ? `${withArticle(type.description)} (${type.mediaType})`
    : "a binary file of unknown type";
  throw new ToolError(
    "unsupported",
    `${name} is ${kind}, ${showSize(bytes.length)}: it cannot be read as a document`,
    {
      hint: "Use a program for this format (shell.run), or convert the file.",
      forUser: { hint: "Open it in a program for this format, or convert it." },
    },
  );
}
