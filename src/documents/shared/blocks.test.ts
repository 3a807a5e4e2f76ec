import { expect, it } from "vitest";
import { makeZip } from "../../../test/support/documents/make-zip.ts";
import { readBytes } from "../../../test/support/documents/read-bytes.ts";
import { allText } from "../../../test/support/documents/samples.ts";
import { showBlock } from "./blocks.ts";

it("shows list items at any level", () => {
  const levels = [-1, 0, 2, Number.NaN, 1e300];
  expect(levels.map((level) => showBlock({ kind: "item", level, marker: "-", text: "x" }))).toEqual([
    "- x",
    "- x",
    "    - x",
    "- x",
    `${" ".repeat(40)}- x`,
  ]);
});

it("shows as many spaces as OpenDocument defines, up to a limit", async () => {
  const names = ["office", "text"].map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  );
  const blanks = ["-5", "x", "1", "3", "1e999"].map(
    (count) => `<text:p>a<text:s text:c="${count}"/>b</text:p>`,
  );
  const content = `<office:document-content ${names.join(" ")}><office:body><office:text>${blanks.join("")}</office:text></office:body></office:document-content>`;
  const mimetype = { name: "mimetype", content: "application/vnd.oasis.opendocument.text", method: 0 };
  const text = allText(await readBytes("x.odt", makeZip([mimetype, { name: "content.xml", content }])));
  expect(text.split("\n\n")).toEqual(["a b", "a b", "a b", "a   b", `a${" ".repeat(40)}b`]);
});
