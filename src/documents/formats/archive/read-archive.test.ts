import { deflateRawSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { makeTar } from "../../../../test/support/documents/make-tar.ts";
import { makeZip } from "../../../../test/support/documents/make-zip.ts";
import { failureOf, readBytes } from "../../../../test/support/documents/read-bytes.ts";
import { ToolError } from "../../../contract/error.ts";

const time = "2026-11-15 17:30";
const howToLook = '`part` "entry NAME" shows the text of an entry';
const archive = { format: "archive", images: [], next: undefined };

describe("an archive", () => {
  it("in ZIP is listed, with notes on anything unusual", async () => {
    const zip = makeZip([
      { name: "docs/", method: 0 },
      { name: "docs/a.txt", content: "hello" },
      { name: "../../.bashrc", content: "x" },
      { name: "link", content: "/etc/passwd", unixMode: 0o120777 },
      { name: "secret", content: "x", flags: 0x801 },
      { name: "bad\u001b[31m", content: "1234567890" },
    ]);
    expect(await readBytes("a.zip", zip)).toEqual({
      ...archive,
      description: "ZIP archive",
      properties: { unpacked: "28 bytes" },
      consistsOf: { one: "entry", total: 6 },
      parts: [
        {
          anchor: "",
          text: [
            ` 0  ${time}  docs/`,
            ` 5  ${time}  docs/a.txt`,
            ` 1  ${time}  ../../.bashrc [unpacks outside the folder]`,
            `11  ${time}  link -> /etc/passwd`,
            ` 1  ${time}  secret [encrypted]`,
            `10  ${time}  bad<U+001B>[31m`,
          ].join("\n"),
        },
      ],
      notes: [
        "1 entry is encrypted: only names and sizes are known",
        "1 entry unpacks outside the target folder",
        howToLook,
      ],
    });
  });

  it("in tar is listed, compressed or not, with long names and links", async () => {
    const long = `${"folder/".repeat(20)}file.txt`;
    const record = ` path=${long}\n`;
    const tar = makeTar([
      { name: "a/", type: "5" },
      { name: "a/b.txt", content: "hello" },
      { name: "././@PaxHeader", type: "x", content: `${record.length + 3}${record}` },
      { name: "cut", content: "1" },
      { name: "././@LongLink", type: "L", content: `gnu/${long}\0` },
      { name: "cut", content: "22" },
      { name: "link", type: "2", linkTarget: "a/b.txt" },
      { name: "device", type: "3" },
    ]);
    const text = [
      `0  ${time}  a/`,
      `5  ${time}  a/b.txt`,
      `1  ${time}  ${long}`,
      `2  ${time}  gnu/${long}`,
      `0  ${time}  link -> a/b.txt`,
      `0  ${time}  device [not a file]`,
    ].join("\n");
    const listed = (description: string) => ({
      ...archive,
      description,
      properties: { unpacked: "8 bytes" },
      consistsOf: { one: "entry", total: 6 },
      parts: [{ anchor: "", text }],
      notes: [howToLook],
    });
    expect([
      await readBytes("a.tar", tar),
      await readBytes("a.tgz", gzipSync(tar)),
      await readBytes("a.tar.zst", zstdCompressSync(tar)),
    ]).toEqual(
      ["tar archive", "tar archive packed with gzip", "tar archive packed with Zstandard"].map(listed),
    );
  });

  it("of a single file shows its name and size", async () => {
    expect(await readBytes("logs/a.log.gz", gzipSync("line\n".repeat(1000)))).toEqual({
      ...archive,
      description: "gzip archive",
      properties: { unpacked: "5.0 kB" },
      consistsOf: { one: "entry", total: 1 },
      parts: [{ anchor: "", text: "5000  -                 a.log" }],
      notes: [howToLook],
    });
  });

  it("shows the text of one entry, up to the requested length", async () => {
    const content = "one two three four";
    const tar = makeTar([
      { name: "a.txt", content: "old" },
      { name: "a.txt", content },
    ]);
    const wanted = { part: "entry a.txt from 5", maxChars: 9 };
    const readings = [
      readBytes("a.zip", makeZip([{ name: "a.txt", content }]), wanted),
      readBytes("a.tar", tar, wanted),
      readBytes("a.tgz", gzipSync(tar), wanted),
      readBytes("a.txt.gz", gzipSync(content), wanted),
    ];
    const shown = (await Promise.all(readings)).map(({ parts, next }) => ({ parts, next }));
    expect(shown).toEqual(
      readings.map(() => ({
        parts: [{ anchor: "entry a.txt", text: "two three" }],
        next: "entry a.txt from 14",
      })),
    );
    expect(
      (await readBytes("a.zip", makeZip([{ name: "a b.txt", content }]), { part: "a b.txt" })).parts,
    ).toEqual([{ anchor: "entry a b.txt", text: content }]);
  });

  it("lists its entries when the requested one is missing or is not text", async () => {
    const zip = makeZip([
      { name: "docs/readme.txt", content: "x" },
      { name: "inner.zip", content: makeZip([{ name: "a" }]) },
    ]);
    expect([
      await failureOf(readBytes("a.zip", zip, { part: "entry docs/readmi.txt" })),
      await failureOf(readBytes("a.zip", zip, { part: "entry inner.zip" })),
    ]).toEqual([
      ["not-found", 'a.zip has no part "docs/readmi.txt": it has 2 files'],
      [
        "unsupported",
        expect.stringMatching(
          /^inner.zip in a.zip is a ZIP archive, \d+ bytes: only text entries can be shown/,
        ),
      ],
    ]);
  });

  it("is read up to its limits", async () => {
    const tar = makeTar([{ name: "a", content: "x".repeat(500_000) }, { name: "b" }, { name: "c" }]);
    const { parts, notes } = await readBytes("a.tgz", gzipSync(tar), {}, { inflated: 400_000 });
    expect([parts, notes]).toEqual([
      [{ anchor: "", text: `500000  ${time}  a` }],
      ["more entries may be missing: it unpacks to more than 400 kB in total", howToLook],
    ]);
    const few = await readBytes("a.tar", tar, {}, { entries: 2 });
    expect([few.consistsOf, few.notes]).toEqual([
      { one: "entry", total: 3 },
      ["only the first 2 of 3 entries are listed", howToLook],
    ]);
    const bomb = gzipSync(Buffer.alloc(3_000_000));
    expect((await readBytes("a.gz", bomb, {}, { inflated: 1_000_000 })).notes[0]).toMatch(
      /^it unpacks to more than 1.0 MB in total: only \d+ bytes could be unpacked$/,
    );
    expect(await failureOf(readBytes("a.gz", bomb, { part: "entry a" }, { inflated: 1_000_000 }))).toEqual([
      "too-large",
      "a.gz is too large to read: it unpacks to more than 1.0 MB in total",
    ]);
    const size = 3_000_000;
    const large = makeZip([{ name: "a", size, packed: deflateRawSync(Buffer.alloc(size)) }]);
    expect(await failureOf(readBytes("a.zip", large, { part: "entry a" }, { entry: 1_000_000 }))).toEqual([
      "too-large",
      "a.zip is too large to read: it unpacks to more than 1.0 MB in one entry",
    ]);
  });

  it("unpacks no more of a symlink than its declared size", async () => {
    const packed = deflateRawSync(Buffer.alloc(3_000_000));
    const links = ["a", "b"].map((name) => ({ name, size: 10, packed, unixMode: 0o120777 }));
    const { parts } = await readBytes("a.zip", makeZip(links), {}, { inflated: 1_000_000 });
    expect(parts[0]?.text).toBe("10  2026-11-15 17:30  a\n10  2026-11-15 17:30  b");
  });

  it("in an unsupported format is refused", async () => {
    const heads = { "a.7z": "7z\xbc\xaf\x27\x1c", "a.rar": "Rar!\x1a\x07\x01\0", "a.xz": "\xfd7zXZ\0" };
    const failures = Object.entries(heads).map(([name, head]) =>
      failureOf(readBytes(name, Buffer.from(`${head}123`, "latin1"))),
    );
    expect(await Promise.all(failures)).toEqual([
      ["unsupported", expect.stringMatching(/^a\.7z is a 7z archive .*: it cannot be read as a document$/)],
      ["unsupported", expect.stringMatching(/^a\.rar is a RAR archive .*: it cannot be read as a document$/)],
      ["unsupported", expect.stringMatching(/^a\.xz is an xz archive .*: it cannot be read as a document$/)],
    ]);
  });

  it("is read or refused when cut at any byte", { tags: "slow" }, async () => {
    const tar = makeTar([{ name: "a.txt", content: "hello" }, { name: "b" }]);
    const wholes = {
      "a.tar": tar,
      "a.tgz": gzipSync(tar),
      "a.zst": zstdCompressSync(tar),
      "a.gz": gzipSync("hello"),
    };
    for (const [name, whole] of Object.entries(wholes)) {
      for (let at = 1; at < whole.length; at += name === "a.tar" ? 37 : 1) {
        const answer = await readBytes(name, whole.subarray(0, at)).catch((error) => error);
        expect(answer instanceof ToolError || answer.format === "archive" || answer.format === "text").toBe(
          true,
        );
      }
    }
  });

  it("with impossible sizes is listed and ends", async () => {
    const sizes = ["77777777777\0", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "not octal 12"];
    const listed = sizes.map((size) => readBytes("a.tar", makeTar([{ name: "a", size }, { name: "b" }])));
    expect((await Promise.all(listed)).map(({ consistsOf, notes }) => [consistsOf?.total, notes[0]])).toEqual(
      [
        [1, "more entries may be missing: it is incomplete"],
        [1, "more entries may be missing: it is incomplete"],
        [2, howToLook],
      ],
    );
  });

  it("shows only the beginning of overlong names, and ignores endless lengths", async () => {
    const tar = makeTar([
      { name: "././@LongLink", type: "L", content: "n".repeat(900_000) },
      { name: "cut", content: "1" },
      { name: "././@PaxHeader", type: "x", content: `${"0".repeat(900_000)}30 path=never\n` },
      { name: "b", content: "2" },
    ]);
    expect((await readBytes("a.tar", tar)).parts).toEqual([
      { anchor: "", text: `1  ${time}  ${"n".repeat(4096)}…\n1  ${time}  b` },
    ]);
  });
});
