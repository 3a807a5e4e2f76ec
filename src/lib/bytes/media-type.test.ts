import { describe, expect, it } from "vitest";
import { sniffMediaType } from "./media-type.ts";

describe("sniffMediaType", () => {
  it("detects images", () => {
    expect(
      describeAll(["\x89PNG\r\n\x1a\n", "\xff\xd8\xff\xe0", "GIF87a", "GIF89a", "RIFF\x1a\0\0\0WEBPVP8L"]),
    ).toEqual([
      "image/png: PNG image",
      "image/jpeg: JPEG image",
      "image/gif: GIF image",
      "image/gif: GIF image",
      "image/webp: WebP image",
    ]);
    expect(
      describeAll(["BM\xae\0\0\0\0\0\0\0", "II*\0", "MM\0*", "\0\0\x01\0\x01\0", ftyp("avif"), ftyp("heic")]),
    ).toEqual([
      "image/bmp: BMP image",
      "image/tiff: TIFF image",
      "image/tiff: TIFF image",
      "image/x-icon: ICO image",
      "image/avif: AVIF image",
      "image/heic: HEIC image",
    ]);
  });

  it("detects audio and video", () => {
    expect(
      describeAll(["ID3\x04\0", "\xff\xfb\x90", "OggS\0\x02", "fLaC\0", "RIFF\x24\0\0\0WAVEfmt "]),
    ).toEqual([
      "audio/mpeg: MP3 audio",
      "audio/mpeg: MP3 audio",
      "audio/ogg: Ogg audio or video",
      "audio/flac: FLAC audio",
      "audio/wav: WAV audio",
    ]);
    expect(
      describeAll([ftyp("isom"), ftyp("M4A "), ftyp("qt  "), "RIFF\0\0\0\0AVI LIST", "\x1aE\xdf\xa3"]),
    ).toEqual([
      "video/mp4: MPEG-4 video",
      "audio/mp4: MPEG-4 audio",
      "video/quicktime: QuickTime video",
      "video/x-msvideo: AVI video",
      "video/x-matroska: Matroska or WebM video",
    ]);
  });

  it("detects documents, also inside a ZIP archive", () => {
    const zip = (mention: string) => `PK\x03\x04\x14\0\0\0\x08\0${mention}`;
    const openDocument = "mimetypeapplication/vnd.oasis.opendocument.";
    expect(
      describeAll(["%PDF-1.7", zip("word/document.xml"), zip("xl/workbook.xml"), zip("ppt/slides")]),
    ).toEqual([
      "application/pdf: PDF document",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document: Word document",
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet: Excel workbook",
      "application/vnd.openxmlformats-officedocument.presentationml.presentation: PowerPoint presentation",
    ]);
    expect(
      describeAll([
        zip("mimetypeapplication/epub+zip"),
        ...["text", "spreadsheet", "presentation"].map((kind) => zip(openDocument + kind)),
        "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "SQLite format 3\0",
      ]),
    ).toEqual([
      "application/epub+zip: EPUB book",
      "application/vnd.oasis.opendocument.text: OpenDocument text",
      "application/vnd.oasis.opendocument.spreadsheet: OpenDocument spreadsheet",
      "application/vnd.oasis.opendocument.presentation: OpenDocument presentation",
      "application/x-ole-storage: old Microsoft Office document",
      "application/vnd.sqlite3: SQLite database",
    ]);
  });

  it("detects archives", () => {
    const tar = `${"notes.txt".padEnd(257, "\0")}ustar`;
    expect(
      describeAll([
        "PK\x03\x04\x14\0\0\0notes.txt",
        "PK\x05\x06",
        "PK\x03\x04META-INF/MANIFEST.MF",
        "\x1f\x8b\x08\0",
        "7z\xbc\xaf\x27\x1c",
        "Rar!\x1a\x07\x01\0",
        "\xfd7zXZ\0",
        "\x28\xb5\x2f\xfd",
        "BZh91AY&SY",
        tar,
      ]),
    ).toEqual([
      "application/zip: ZIP archive",
      "application/zip: ZIP archive",
      "application/java-archive: Java archive",
      "application/gzip: gzip archive",
      "application/x-7z-compressed: 7z archive",
      "application/vnd.rar: RAR archive",
      "application/x-xz: xz archive",
      "application/zstd: Zstandard archive",
      "application/x-bzip2: bzip2 archive",
      "application/x-tar: tar archive",
    ]);
  });

  it("detects programs, and distinguishes a Java class from a universal Mach-O program", () => {
    expect(
      describeAll([
        "\x7fELF\x02\x01\x01",
        "\0asm\x01\0\0\0",
        "\xca\xfe\xba\xbe\0\0\0\x41",
        "\xca\xfe\xba\xbe\0\0\0\x02",
        "\xcf\xfa\xed\xfe\x07\0\0\x01",
        "MZ\x90\0\x03\0\0\0",
      ]),
    ).toEqual([
      "application/x-elf: ELF program or library",
      "application/wasm: WebAssembly module",
      "application/java-vm: Java class",
      "application/x-mach-binary: Mach-O program or library",
      "application/x-mach-binary: Mach-O program or library",
      "application/vnd.microsoft.portable-executable: Windows program or library",
    ]);
  });

  it("detects fonts", () => {
    expect(
      describeAll(["wOFF\0\x01\0\0", "wOF2\0\x01\0\0", "OTTO\0\x0a", "\0\x01\0\0\0\x13", "ttcf\0\x01\0\0"]),
    ).toEqual([
      "font/woff: WOFF font",
      "font/woff2: WOFF2 font",
      "font/otf: OpenType font",
      "font/ttf: TrueType font",
      "font/collection: font collection",
    ]);
  });

  it("does not mistake text for magic bytes", () => {
    const words = [
      "",
      "B",
      "BM is BMW without W, roughly",
      "MZ was Mark Zbikowski",
      "ID3 tags",
      "OTTO normal",
      "RIFFRAFF",
    ];
    expect(describeAll(words)).toEqual(words.map(() => undefined));
  });
});

function describeAll(heads: readonly string[]): (string | undefined)[] {
  return heads.map((head) => {
    const found = sniffMediaType(Buffer.from(head, "latin1"));
    return found && `${found.mediaType}: ${found.description}`;
  });
}

function ftyp(brand: string): string {
  return `\0\0\0\x18ftyp${brand}\0\0\0\0`;
}
