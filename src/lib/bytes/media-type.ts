/** The type of a file, found from its first bytes. */
export interface MediaType {
  readonly mediaType: string;
  /** For display: "PNG image". */
  readonly description: string;
}

/** Detects a binary format by its magic number. `head` is the file's beginning; 4 KB are plenty. */
export function sniffMediaType(head: Uint8Array): MediaType | undefined {
  const match = signatures.find(([matches]) => matches(head));
  if (match === undefined) return undefined;
  const [, mediaType, description] = match;
  return { mediaType, description };
}

const machOMarks = [
  "\xfe\xed\xfa\xce",
  "\xfe\xed\xfa\xcf",
  "\xce\xfa\xed\xfe",
  "\xcf\xfa\xed\xfe",
  "\xca\xfe\xba\xbe",
];

/** Returns a description with its article: "a ZIP archive", "an MP4 video". */
export function withArticle(description: string): string {
  return /^(?:[aeiou]|MP|XZ|HEIC)/i.test(description) ? `an ${description}` : `a ${description}`;
}

type Signature = readonly [matches: (head: Uint8Array) => boolean, mediaType: string, description: string];

/** The first match counts. Marks that could begin a text are checked together with bytes that no text contains. */
const signatures: readonly Signature[] = [
  [starts("\x89PNG"), "image/png", "PNG image"],
  [starts("\xff\xd8\xff"), "image/jpeg", "JPEG image"],
  [either(starts("GIF87a"), starts("GIF89a")), "image/gif", "GIF image"],
  [both(starts("RIFF"), at(8, "WEBP")), "image/webp", "WebP image"],
  [both(starts("BM"), at(6, "\0\0\0\0")), "image/bmp", "BMP image"],
  [either(starts("II*\0"), starts("MM\0*")), "image/tiff", "TIFF image"],
  [both(starts("\0\0\x01\0"), at(5, "\0")), "image/x-icon", "ICO image"],
  [brand("avif", "avis"), "image/avif", "AVIF image"],
  [brand("heic", "heix", "hevc", "heim", "heis", "mif1", "msf1"), "image/heic", "HEIC image"],

  [brand("M4A ", "M4B "), "audio/mp4", "MPEG-4 audio"],
  [brand("qt  "), "video/quicktime", "QuickTime video"],
  [at(4, "ftyp"), "video/mp4", "MPEG-4 video"],
  [starts("\x1aE\xdf\xa3"), "video/x-matroska", "Matroska or WebM video"],
  [both(starts("RIFF"), at(8, "AVI ")), "video/x-msvideo", "AVI video"],
  [both(starts("RIFF"), at(8, "WAVE")), "audio/wav", "WAV audio"],
  [starts("OggS\0"), "audio/ogg", "Ogg audio or video"],
  [starts("fLaC\0"), "audio/flac", "FLAC audio"],
  [isMp3, "audio/mpeg", "MP3 audio"],

  [starts("%PDF-"), "application/pdf", "PDF document"],
  [zipWith("word/"), officeOpenXml("wordprocessingml.document"), "Word document"],
  [zipWith("xl/"), officeOpenXml("spreadsheetml.sheet"), "Excel workbook"],
  [zipWith("ppt/"), officeOpenXml("presentationml.presentation"), "PowerPoint presentation"],
  [zipWith("mimetypeapplication/epub+zip"), "application/epub+zip", "EPUB book"],
  [openDocument("text"), "application/vnd.oasis.opendocument.text", "OpenDocument text"],
  [openDocument("spreadsheet"), "application/vnd.oasis.opendocument.spreadsheet", "OpenDocument spreadsheet"],
  [
    openDocument("presentation"),
    "application/vnd.oasis.opendocument.presentation",
    "OpenDocument presentation",
  ],
  [starts("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "application/x-ole-storage", "old Microsoft Office document"],
  [starts("SQLite format 3\0"), "application/vnd.sqlite3", "SQLite database"],

  [zipWith("META-INF/MANIFEST.MF"), "application/java-archive", "Java archive"],
  [either(starts("PK\x03\x04"), starts("PK\x05\x06")), "application/zip", "ZIP archive"],
  [starts("\x1f\x8b\x08"), "application/gzip", "gzip archive"],
  [starts("7z\xbc\xaf\x27\x1c"), "application/x-7z-compressed", "7z archive"],
  [starts("Rar!\x1a\x07"), "application/vnd.rar", "RAR archive"],
  [starts("\xfd7zXZ\0"), "application/x-xz", "xz archive"],
  [starts("\x28\xb5\x2f\xfd"), "application/zstd", "Zstandard archive"],
  [both(starts("BZh"), at(4, "1AY&SY")), "application/x-bzip2", "bzip2 archive"],
  [at(257, "ustar"), "application/x-tar", "tar archive"],

  [starts("\x7fELF"), "application/x-elf", "ELF program or library"],
  [starts("\0asm"), "application/wasm", "WebAssembly module"],
  [both(starts("\xca\xfe\xba\xbe"), isJavaVersion), "application/java-vm", "Java class"],
  [either(...machOMarks.map(starts)), "application/x-mach-binary", "Mach-O program or library"],
  [
    both(starts("MZ"), hasZero),
    "application/vnd.microsoft.portable-executable",
    "Windows program or library",
  ],

  [both(starts("wOFF"), hasZero), "font/woff", "WOFF font"],
  [both(starts("wOF2"), hasZero), "font/woff2", "WOFF2 font"],
  [both(starts("OTTO"), hasZero), "font/otf", "OpenType font"],
  [both(starts("ttcf"), hasZero), "font/collection", "font collection"],
  [both(starts("\0\x01\0\0"), at(4, "\0")), "font/ttf", "TrueType font"],
];

function starts(mark: string): (head: Uint8Array) => boolean {
  return at(0, mark);
}

/** Matches `mark` at an offset. Every character of `mark` is one byte. */
function at(offset: number, mark: string): (head: Uint8Array) => boolean {
  return (head) => {
    for (let index = 0; index < mark.length; index += 1)
      if (head[offset + index] !== mark.charCodeAt(index)) return false;
    return true;
  };
}

function both(left: Signature[0], right: Signature[0]): Signature[0] {
  return (head) => left(head) && right(head);
}

function either(...signatures: readonly Signature[0][]): Signature[0] {
  return (head) => signatures.some((matches) => matches(head));
}

/** Matches the format that the first box of an ISO base media container (MP4, HEIC, AVIF) names. */
function brand(...brands: readonly string[]): Signature[0] {
  return both(at(4, "ftyp"), either(...brands.map((name) => at(8, name))));
}

/** Returns whether the content is a ZIP archive whose first entries mention `name`. */
function zipWith(name: string): Signature[0] {
  return both(starts("PK\x03\x04"), (head) =>
    Buffer.from(head.subarray(0, 8192)).includes(name, 0, "latin1"),
  );
}

function openDocument(kind: string): Signature[0] {
  return zipWith(`mimetypeapplication/vnd.oasis.opendocument.${kind}`);
}

function officeOpenXml(kind: string): string {
  return `application/vnd.openxmlformats-officedocument.${kind}`;
}

function hasZero(head: Uint8Array): boolean {
  return head.subarray(4, 64).includes(0);
}

function isMp3(head: Uint8Array): boolean {
  if (at(0, "ID3")(head)) return (head[3] ?? 0xff) < 0x10 && (head[4] ?? 0xff) < 0x10;
  return head[0] === 0xff && [0xfb, 0xf3, 0xf2].includes(head[1] ?? 0);
}

/** Recognizes a Java class by its version. A universal Mach-O program begins alike, but has a small number there. */
function isJavaVersion(head: Uint8Array): boolean {
  return (head[6] ?? 0) * 256 + (head[7] ?? 0) >= 45;
}
