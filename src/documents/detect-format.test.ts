import { describe, expect, it } from "vitest";
import { makeTar } from "../../test/support/documents/make-tar.ts";
import { makeZip } from "../../test/support/documents/make-zip.ts";
import { failureOf, readBytes } from "../../test/support/documents/read-bytes.ts";
import type { DocumentSource } from "../contract/document.ts";
import { detectFormat } from "./detect-format.ts";
import { formats } from "./formats.ts";

describe("the format of a document", () => {
  it("is detected by its bytes, regardless of its name", () => {
    const office = (part: string) => makeZip([{ name: "[Content_Types].xml" }, { name: part }]);
    const openDocument = (kind: string) =>
      makeZip([{ name: "mimetype", method: 0, content: `application/${kind}` }]);
    expect(
      [
        "%PDF-1.7",
        office("word/document.xml"),
        office("ppt/presentation.xml"),
        openDocument("vnd.oasis.opendocument.text"),
        openDocument("vnd.oasis.opendocument.text-template"),
        openDocument("vnd.oasis.opendocument.presentation"),
        makeZip([{ name: "word/notes.txt" }, { name: "xl/notes.txt" }]),
        "PK\x05\x06".padEnd(22, "\0"),
        makeTar([{ name: "a" }]),
        Buffer.from("89504e470d0a1a0a", "hex"),
        "<!DOCTYPE html><p>",
        "\ufeff  <!-- a --><html>",
        Buffer.from("\ufeff<html>", "utf16le"),
        "{\\rtf1 a}",
        "Just words",
        "",
      ].map((bytes) => detected("unnamed", bytes)),
    ).toEqual([
      ...["pdf", "docx", "pptx", "odt", "odt", "odp", "archive", "archive", "archive", "image"],
      ...["html", "html", "html", "rtf", "text", "text"],
    ]);
  });

  it("is taken from the server, then from the name, when it is text", () => {
    expect([
      detected("https://example.org/a.csv?b", "a,b", "text/html; charset=utf-8"),
      detected("https://example.org/a.html?b=c.txt", "a", "text/plain"),
      detected("page.HTM", "a"),
      detected("notes.md", "# A"),
      detected("code.rs", "fn main() {}"),
    ]).toEqual(["html", "html", "html", "text", "text"]);
  });

  it("is named with a hint when it cannot be read", async () => {
    const ole = Buffer.from("d0cf11e0a1b11ae1", "hex");
    const encrypted = Buffer.concat([ole, Buffer.alloc(600), Buffer.from("EncryptedPackage", "utf16le")]);
    const failures = [
      readBytes("a.doc", ole),
      readBytes("a.docx", encrypted),
      readBytes("a.xlsb", makeZip([{ name: "[Content_Types].xml" }, { name: "xl/workbook.bin" }])),
      readBytes(
        "a.odf",
        makeZip([{ name: "mimetype", method: 0, content: "application/vnd.oasis.opendocument.formula" }]),
      ),
      readBytes("a.mp4", Buffer.from("\0\0\0\x18ftypisom", "latin1")),
      readBytes("a.o", Buffer.from("\x7fELF\x02", "latin1")),
      readBytes("a.pdf", Buffer.from([1, 0, 2])),
    ];
    expect(await Promise.all(failures.map(failureOf))).toEqual([
      ["unsupported", "a.doc is in a binary format of old Microsoft Office, which cannot be read"],
      ["unsupported", "a.docx is encrypted: it cannot be read without its password"],
      ["unsupported", expect.stringContaining("a.xlsb is a binary Excel workbook (application/vnd.ms-excel")],
      [
        "unsupported",
        expect.stringContaining("a.odf is an OpenDocument file of another kind (application/vnd.oasis"),
      ],
      ["unsupported", "a.mp4 is an MPEG-4 video (video/mp4), 12 bytes: it cannot be read as a document"],
      [
        "unsupported",
        "a.o is an ELF program or library (application/x-elf), 5 bytes: it cannot be read as a document",
      ],
      ["unsupported", "a.pdf is a binary file of unknown type, 3 bytes: it cannot be read as a document"],
    ]);
  });

  it("has a reader that can be loaded", { tags: "slow" }, async () => {
    const readers = await Promise.all(Object.values(formats).map(({ reader }) => reader()));
    expect(readers.map((reader) => typeof reader)).toEqual(readers.map(() => "function"));
  });
});

/** Its name in the list of formats. */
function detected(name: string, bytes: Uint8Array | string, mediaType?: string): string | undefined {
  const source: DocumentSource = { name, bytes: Buffer.from(bytes), mediaType };
  const format = detectFormat(source);
  return Object.keys(formats).find((key) => formats[key] === format);
}
