import { describe, expect, it } from "vitest";
import { decodePage } from "./decode-page.ts";

const latin1 = (text: string) => Buffer.from(text, "latin1");
const utf16 = (text: string) => Buffer.from(text, "utf16le");

describe("decodePage", () => {
  it.each([
    ["a byte order mark", latin1("\xef\xbb\xbfgr\xc3\xbcn"), "text/html; charset=koi8-r", "grün", "utf-8"],
    ["a UTF-16 byte order mark", utf16("\ufeffgrün"), "text/html; charset=utf-8", "grün", "utf-16le"],
    ["a big-endian byte order mark", utf16("\ufeffgrün").swap16(), "", "grün", "utf-16be"],
    [
      "the server",
      latin1("<meta charset=utf-8>\xd7\xd1"),
      "text/html; charset=KOI8-R",
      "<meta charset=utf-8>вя",
      "koi8-r",
    ],
    [
      "the server in quotes",
      latin1("gr\xfcn"),
      'text/plain;Charset="iso-8859-1"; x=y',
      "grün",
      "windows-1252",
    ],
    ["the server in Japanese", latin1("\x93\xfa\x96{"), "text/html;charset=shift_jis", "日本", "shift_jis"],
    [
      "a meta element",
      latin1("<html><meta charset='koi8-r'>\xd7"),
      "text/html",
      "<html><meta charset='koi8-r'>в",
      "koi8-r",
    ],
    [
      "the older meta element",
      latin1('<META http-equiv="Content-Type" content="text/html; charset=gb2312">\xc4\xe3'),
      "text/html",
      '<META http-equiv="Content-Type" content="text/html; charset=gb2312">你',
      "gbk",
    ],
    [
      "no meta element in a comment",
      latin1("<!-- <meta charset=koi8-r> -->\xfc"),
      "text/html",
      "<!-- <meta charset=koi8-r> -->ü",
      "windows-1252",
    ],
    [
      "a meta element that claims UTF-16, read as UTF-8",
      Buffer.from("<meta charset=utf-16>ü"),
      "text/html",
      "<meta charset=utf-16>ü",
      "utf-8",
    ],
    [
      "an XML declaration",
      latin1('<?xml version="1.0" encoding="ISO-8859-2"?>\xb1'),
      "application/xml",
      '<?xml version="1.0" encoding="ISO-8859-2"?>ą',
      "iso-8859-2",
    ],
    ["nobody", Buffer.from("grün"), "", "grün", "utf-8"],
    ["the bytes alone: not UTF-8", latin1("gr\xfcn \x80"), "text/plain", "grün €", "windows-1252"],
    ["the bytes alone: UTF-16", utf16("many words"), "", "many words", "utf-16le"],
    [
      "the bytes when the server names an unknown set",
      Buffer.from("grün"),
      "text/html; charset=klingon",
      "grün",
      "utf-8",
    ],
    [
      "the bytes when the server is wrong",
      latin1("gr\xfcn und bl\xfch"),
      "text/html; charset=utf-8",
      "grün und blüh",
      "windows-1252",
    ],
    [
      "the server despite one wrong byte",
      Buffer.concat([Buffer.from("grün, blüh"), Buffer.from([0xff])]),
      "text/html; charset=utf-8",
      "grün, blüh\ufffd",
      "utf-8",
    ],
    ["the bytes alone: cut inside a character", Buffer.from("grün ü").subarray(0, -1), "", "grün ", "utf-8"],
    ["the bytes alone: empty", new Uint8Array(), "", "", "utf-8"],
  ])("takes the character set from %s", (_who, bytes, mediaType, text, charset) => {
    expect(decodePage(bytes, mediaType)).toEqual({ text, charset });
  });

  it("ignores meta elements after the first 1024 bytes", () => {
    const text = `${" ".repeat(1100)}<meta charset=koi8-r>ü`;
    expect(decodePage(Buffer.from(text))).toEqual({ text, charset: "utf-8" });
  });
});
