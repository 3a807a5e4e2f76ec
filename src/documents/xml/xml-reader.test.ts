import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolError } from "../../contract/error.ts";
import { Budget } from "../budget.ts";
import { decodeXml } from "./decode.ts";
import { XmlReader } from "./xml-reader.ts";

describe("XmlReader", () => {
  it("yields elements and texts in order, including self-closed elements and CDATA", () => {
    expect(tree("<a>one<b/>two<c><![CDATA[<three>]]></c><!-- no --><?no?> four </a>")).toEqual([
      "a",
      "one",
      ["b"],
      "two",
      ["c", "<three>"],
      " four ",
    ]);
  });

  it("resolves names by their namespaces, with any prefixes", () => {
    const word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
    const strict = "http://purl.oclc.org/ooxml/wordprocessingml/main";
    expect(
      tree(`<p xmlns="${word}"><z:r xmlns:z='${strict}'><z:t/></z:r><q:x xmlns:q="urn:other"/></p>`),
    ).toEqual(["w:p", ["w:r", ["w:t"]], ["?:x"]]);
  });

  it("drops a namespace with the element that declares it", () => {
    const math = "http://www.w3.org/1998/Math/MathML";
    expect(tree(`<a><b xmlns="${math}"><c xmlns=""/></b><d/></a>`)).toEqual(["a", ["math:b", ["c"]], ["d"]]);
  });

  it("returns attributes by name, with quotes and brackets in their values", () => {
    const reader = read(`<a one = "1 > 0" two='say "hi"' x:three="&lt;&#65;&#x42;"\n/>`);
    reader.child(0);
    expect(["one", "two", "x:three", "three", "four"].map((name) => reader.attribute(name))).toEqual([
      "1 > 0",
      'say "hi"',
      "<AB",
      undefined,
      undefined,
    ]);
  });

  it("skips elements that are not read", () => {
    const reader = read("<a><b><c>1</c><!-- </b> --><c d='</b>'/></b><e>2</e></a>");
    reader.child(0);
    const names: string[] = [];
    while (reader.child(1)) names.push(reader.name);
    expect([names, reader.depth]).toEqual([["b", "e"], 0]);
  });

  it("returns all text of an element, and whether it contains a word", () => {
    const reader = read("<a><b>one <i>two</i> three</b><c><vanish/></c><c/><d/></a>");
    reader.child(0);
    const found: unknown[] = [];
    while (reader.child(1)) found.push(reader.name === "b" ? reader.content() : reader.mentions("vanish"));
    expect(found).toEqual(["one two three", true, false, false]);
  });

  it("expands no declared entity, and skips the document type", () => {
    const bomb =
      '<!DOCTYPE a [<!ENTITY l "lol"><!ENTITY m "&l;&l;]>"><!-- \' --><!ENTITY x SYSTEM "file:///etc/passwd">]>';
    expect(tree(`<?xml version="1.0"?>${bomb}<a>&m;&x;&amp;&#0;&#xD800;&nbsp;</a>`)).toEqual([
      "a",
      "&m;&x;&&#0;&#xD800;&nbsp;",
    ]);
  });

  it.each([
    ["<a><b></a>", "<b> is not ended (at character 6)"],
    ["<a>", "it is incomplete (at character 3)"],
    ["</a>", "an end tag has no start tag (at character 0)"],
    ["<a b", "a tag has no end (at character 2)"],
    ["<a <b>", "a tag has no end (at character 2)"],
    ["<a b='1>", "it is incomplete (at character 2)"],
    ["<a></ab>", "<a> is not ended (at character 3)"],
    ["< a/>", "a < does not begin an element (at character 0)"],
    ["<!DOCTYPE a [", "its document type has no end (at character 2)"],
    ["<a><![CDATA[</a>", "it is incomplete (at character 12)"],
  ])("reports where %s is damaged", (source, why) => {
    expect(failure(() => tree(source))).toEqual(["unsupported", `x.xml is damaged: ${why}`]);
  });

  it("refuses too deep nesting, whether it is read or skipped", () => {
    const deep = "<a>".repeat(1_000_000);
    const tooDeep = ["too-large", "x.xml is too large to read: it is nested deeper than 512"];
    expect(failure(() => tree(deep))).toEqual(tooDeep);
    const reader = read(deep);
    reader.child(0);
    expect(failure(() => reader.child(0))).toEqual(tooDeep);
  });

  it("skips a hundred thousand elements with unusual end tags", { tags: "slow" }, () => {
    const names = Array.from({ length: 100_000 }, (_, number) => `<a${number}>x</a${number} >`);
    const reader = read(`<all>${names.join("")}</all>`);
    reader.child(0);
    let count = 0;
    while (reader.child(1)) count += 1;
    expect([count, reader.name]).toEqual([100_000, "a99999"]);
  });

  it("reads or refuses any input", () => {
    const piece = fc.constantFrom(
      "<a>",
      "</a>",
      "<b c='1'",
      "/>",
      ">",
      "&lt;",
      "<!--",
      "-->",
      "<![CDATA[",
      "]]>",
      "'",
      "=",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const outcome = failure(() => tree(pieces.join("")));
        expect(outcome === undefined || outcome[0] === "unsupported").toBe(true);
      }),
    );
  });
});

describe("decodeXml", () => {
  it("uses the byte order mark, then the declaration, then UTF-8", () => {
    const declared = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?><a>ü</a>`;
    const given = [
      Buffer.from("<a>ü</a>"),
      Buffer.from("\ufeff<a>ü</a>"),
      Buffer.from("<a>ü</a>", "utf16le"),
      Buffer.from("\ufeff<a>ü</a>", "utf16le").swap16(),
      Buffer.from(declared("ISO-8859-1"), "latin1"),
      Buffer.from(declared("utf-16")),
      Buffer.from(declared("nonsense")),
    ];
    expect(given.map((bytes) => tree(decodeXml(bytes)))).toEqual(given.map(() => ["a", "ü"]));
  });
});

type Tree = (string | Tree)[];

function read(source: string): XmlReader {
  return new XmlReader(source, "x.xml", new Budget("x.xml"));
}

function tree(source: string): Tree {
  const reader = read(source);
  const below = (): Tree => {
    const { depth, name } = reader;
    const found: Tree = [name];
    for (let node = reader.node(depth); node; node = reader.node(depth))
      found.push(node === "text" ? reader.text : below());
    return found;
  };
  return reader.child(0) ? below() : [];
}

function failure(run: () => unknown): [string, string] | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof ToolError) return [error.code, error.message];
    throw error;
  }
}
