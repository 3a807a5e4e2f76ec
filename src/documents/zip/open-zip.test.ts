import { deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { makeZip } from "../../../test/support/documents/make-zip.ts";
import { ToolError } from "../../contract/error.ts";
import { Budget, type Limits } from "../budget.ts";
import { openZip } from "./open-zip.ts";

/** Made with zipfile of Python 3.11: "large" with force_zip64, and a name in UTF-8. */
const packedByPython =
  "UEsDBC0AAAAIAAAAIQDmyUE7//////////8FABQAbGFyZ2UBABAA6AMAAAAAAAALAAAAAAAAAKuoGAWjYBQMdwAAUEsDBBQA" +
  "AAgIAG6Qb13VadljBAAAAAIAAAAOAAAAc3RyYcOfZS/DvC50eHQ7vAcAUEsBAi0DLQAAAAgAAAAhAObJQTsLAAAA6AMAAAUA" +
  "AAAAAAAAAAAAAIABAAAAAGxhcmdlUEsBAhQDFAAACAgAbpBvXdVp2WMEAAAAAgAAAA4AAAAAAAAAAAAAAIABQgAAAHN0cmHD" +
  "n2Uvw7wudHh0UEsFBgAAAAACAAIAbwAAAHIAAAAAAA==";

describe("a ZIP archive", () => {
  it("lists its entries and unpacks them", () => {
    const zip = open(
      makeZip([
        { name: "a.txt", content: "hello" },
        { name: "folder/", method: 0 },
        { name: "folder/b.bin", content: "stored", method: 0, unixMode: 0o100644 },
      ]),
    );
    const shown = zip.entries.map(({ name, isDirectory, size, method, modified, unixMode }) => ({
      ...{ name, isDirectory, size, method, modified, unixMode },
    }));
    const modified = "2026-11-15 17:30";
    expect(shown).toEqual([
      { name: "a.txt", isDirectory: false, size: 5, method: 8, modified, unixMode: 0 },
      { name: "folder/", isDirectory: true, size: 0, method: 0, modified, unixMode: 0 },
      { name: "folder/b.bin", isDirectory: false, size: 6, method: 0, modified, unixMode: 0o100644 },
    ]);
    expect(["a.txt", "FOLDER/b.bin", "d"].map((name) => zip.text(name))).toEqual([
      "hello",
      "stored",
      undefined,
    ]);
    expect([zip.count, zip.notes]).toEqual([3, []]);
  });

  it("is found after other bytes, and before a comment that looks like its end", () => {
    const content = { name: "a", content: "x" };
    const archives = [
      makeZip([content], { before: "#!/bin/sh\nexit\n" }),
      makeZip([content], { comment: "PK\x05\x06 as the end begins, and long enough to be one" }),
      Buffer.concat([makeZip([content]), Buffer.from("\nmore")]),
    ];
    expect(archives.map((archive) => open(archive).text("a"))).toEqual(["x", "x", "x"]);
  });

  it("reads archives written by Python, including ZIP64", () => {
    const zip = open(Buffer.from(packedByPython, "base64"));
    expect(zip.entries.map(({ name, size }) => [name, size])).toEqual([
      ["large", 1000],
      ["straße/ü.txt", 2],
    ]);
    expect([zip.text("large"), zip.text("straße/ü.txt")]).toEqual(["x".repeat(1000), "ü"]);
  });

  it("reads names written by old packers", () => {
    const archive = makeZip([{ name: "gr__e.txt", content: "x", flags: 0 }]);
    const old = Buffer.from(archive.toString("latin1").replaceAll("gr__e", "gr\x81\xe1e"), "latin1");
    expect(open(old).entries.map(({ name }) => name)).toEqual(["grüße.txt"]);
    const windows = makeZip([{ name: "word\\document.xml", content: "x" }]);
    expect(open(windows).text("word/document.xml")).toBe("x");
  });

  it("uses the last of several entries with one name, and notes it", () => {
    const zip = open(
      makeZip([
        { name: "a", content: "first" },
        { name: "a", content: "last" },
      ]),
    );
    expect([zip.text("a"), zip.notes]).toEqual([
      "last",
      ["1 entry has the name of a later one, which counts"],
    ]);
  });

  it("counts the bytes produced, regardless of the declared size", () => {
    const bomb = (size: number) =>
      makeZip([{ name: "a", size, packed: deflateRawSync(Buffer.alloc(5_000_000)) }]);
    const limits = { entry: 1_000_000, inflated: 1_500_000 };
    expect([1, 900_000, 5_000_000].map((size) => failure(() => open(bomb(size), limits).text("a")))).toEqual([
      ["unsupported", "a.zip is damaged: a is larger than its directory says"],
      ["unsupported", "a.zip is damaged: a is larger than its directory says"],
      ["too-large", "a.zip is too large to read: it unpacks to more than 1.0 MB in one entry"],
    ]);
    const half = (name: string) => ({ name, content: Buffer.alloc(900_000) });
    const two = open(makeZip([half("a"), half("b")]), limits);
    expect(two.text("a")).toHaveLength(900_000);
    expect(failure(() => two.text("b"))).toEqual([
      "too-large",
      "a.zip is too large to read: it unpacks to more than 1.5 MB in total",
    ]);
  });

  it("reads no more entries than its limit, and counts them all", () => {
    const many = Array.from({ length: 20 }, (_, number) => ({ name: `${number}`, method: 0 }));
    const zip = open(makeZip(many), { entries: 5 });
    expect([zip.entries.length, zip.count]).toEqual([5, 20]);
  });

  it("is refused when damaged, encrypted or malicious", () => {
    const content = "some content";
    const failures = [
      () => open(makeZip([{ name: "a", content, crc: 1 }])).text("a"),
      () => open(makeZip([{ name: "a", content, packed: Buffer.from("no deflate") }])).text("a"),
      () => open(makeZip([{ name: "a", content, flags: 0x801 }])).text("a"),
      () => open(makeZip([{ name: "a", content, method: 14 }])).text("a"),
      () =>
        open(
          makeZip([
            { name: "a", content },
            { name: "b", content, at: 0 },
          ]),
        ),
      () => open(makeZip([{ name: "a", content }]).subarray(0, 60)),
      () => open(Buffer.alloc(0)),
    ].map(failure);
    const damaged = (why: string) => ["unsupported", `a.zip is damaged: ${why}`];
    expect(failures).toEqual([
      damaged("a does not match its checksum"),
      damaged("a cannot be unpacked"),
      ["unsupported", "a.zip is encrypted: it cannot be read without its password"],
      ["unsupported", "a in a.zip uses compression method 14, which is not supported"],
      damaged("its entries overlap (a)"),
      damaged("its directory, which should be at its end, is missing"),
      damaged("its directory, which should be at its end, is missing"),
    ]);
  });

  it("is read or refused when cut or altered at any byte", () => {
    const whole = makeZip([
      { name: "a.txt", content: "hello ".repeat(20) },
      { name: "b", content: "x", method: 0 },
    ]);
    const read = (bytes: Buffer) => {
      const zip = open(bytes, { entry: 10_000 });
      for (const entry of zip.entries) zip.read(entry);
    };
    for (let at = 0; at < whole.length; at += 1) {
      expect(() => read(whole.subarray(0, at))).toThrow(ToolError);
      for (const change of [1, 0x80, 0xff]) {
        const other = Buffer.from(whole);
        other[at] = other[at]! ^ change;
        expect(refused(() => read(other))).toBe(true);
      }
    }
  });
});

function open(bytes: Uint8Array, limits: Partial<Limits> = {}) {
  return openZip(bytes, "a.zip", new Budget("a.zip", limits));
}

function failure(read: () => unknown): readonly [string, string] {
  try {
    read();
  } catch (error) {
    if (error instanceof ToolError) return [error.code, error.message];
    throw error;
  }
  throw new Error("It did not fail");
}

/** Whether it was read, or refused as expected. */
function refused(read: () => void): boolean {
  try {
    read();
    return true;
  } catch (error) {
    return error instanceof ToolError;
  }
}
