import type { DocumentPart } from "../../../contract/document.ts";
import { ToolError } from "../../../contract/error.ts";
import { gatherParts } from "../../anchors.ts";
import { damaged } from "../../damaged.ts";
import type { DocumentReader } from "../../reader.ts";
import { decodeXml } from "../../xml/decode-xml.ts";
import { htmlToMarkdown } from "../html/html-to-markdown.ts";
import { openPackage, type Package } from "../office/open-package.ts";
import { type Book, partOf, readBook } from "./read-book.ts";
import { readTitles } from "./read-titles.ts";

/** Electronic books. A chapter is a file of its text, in the order in which one reads. */
export const readEpub: DocumentReader = async (source, wanted, desk) => {
  const opened = openPackage(source, desk);
  const book = readBook(opened, source.name);
  const order = { one: "chapter", total: book.chapters.length };
  if (order.total === 0) throw damaged(source.name, "it has no chapters");
  refuseProtected(opened, book, source.name);
  const { titles, isDamaged } = readTitles(opened, book);
  const missing: number[] = [];
  const gathered = await gatherParts(wanted, { ...order, name: source.name }, (number) => {
    if (number % 20 === 0) desk.progress(`chapter ${number} of ${order.total}`);
    const part = book.chapters[number - 1]!;
    const entry = opened.zip.find(part);
    if (!entry) missing.push(number);
    const page = entry && htmlToMarkdown(decodeXml(opened.zip.read(entry)), { whole: true });
    const title = titles.get(part) ?? page?.title;
    return { anchor: `chapter ${number}`, title, text: page?.markdown ?? "" } satisfies DocumentPart;
  });
  return {
    format: "epub",
    description: "EPUB book",
    properties: book.properties,
    consistsOf: order,
    ...gathered,
    notes: [
      ...opened.zip.notes,
      ...(isDamaged ? ["its list of contents is damaged: titles of chapters may be missing"] : []),
      ...missing.map((number) => `chapter ${number} is missing in the file (${book.chapters[number - 1]})`),
    ],
    images: [],
  };
};

/** Fonts may be scrambled without hiding a word; chapters may not. */
function refuseProtected(opened: Package, { chapters }: Book, name: string): void {
  const reader = opened.open("META-INF/encryption.xml");
  if (!reader?.child(0)) return;
  const scrambled = new Set<string>();
  const { depth } = reader;
  while (reader.child(depth)) {
    const inside = reader.depth;
    while (reader.child(inside)) {
      if (!reader.is("enc:CipherData")) continue;
      const data = reader.depth;
      while (reader.child(data)) scrambled.add(partOf("", reader.attribute("URI") ?? ""));
    }
  }
  if (!chapters.some((chapter) => scrambled.has(chapter))) return;
  throw new ToolError("unsupported", `${name} is protected against copying (DRM): its text cannot be read`, {
    hint: "Get the book without protection from whoever sells it.",
  });
}
