import { readFileSync, writeFileSync } from "node:fs";
import { Budget } from "../../src/documents/budget.ts";
import { openZip, type Zip } from "../../src/documents/zip/open-zip.ts";
import { makeZip } from "../../test/support/documents/make-zip.ts";
import type { DocumentCases } from "../groups/documents.ts";
import type { Case, Contender } from "../harness.ts";
import { coldContender, documentPath, readContender } from "./read-contender.ts";

/** Text that LibreOffice wrote, repeated: real markup in a large file. */
const samples = new URL("../../test/samples/documents/", import.meta.url);
const times = 150;

export const officeTexts: DocumentCases = {
  prepare: () => {
    writeFileSync(
      documentPath("large.docx"),
      asBook("report.docx", "word/document.xml", /<w:body>(.*)<w:sectPr/s, "w:p"),
    );
    writeFileSync(
      documentPath("large.odt"),
      asBook("report.odt", "content.xml", /<office:text>(.*)<\/office:text>/s, "text:p"),
    );
    writeFileSync(documentPath("large.pptx"), manySlides("talk.pptx"));
  },
  cases: [
    officeCase(
      "large.docx",
      `${times} chapters of prose, lists, a table, notes and drawings`,
      ["word/document.xml"],
      /<w:t(?: [^>]*)?>([^<]*)|<\/w:p>/g,
    ),
    officeCase(
      "large.odt",
      `${times} chapters of prose, lists, a table, notes and drawings`,
      ["content.xml"],
      />([^<]+)|<\/text:p>/g,
    ),
    officeCase(
      "large.pptx",
      `${times} slides with notes`,
      ["ppt/slides/", "ppt/notesSlides/"],
      /<a:t>([^<]*)|<\/a:p>/g,
    ),
  ],
};

function officeCase(name: string, what: string, parts: readonly string[], text: RegExp): Case {
  return {
    name: `read ${name}: ${what}`,
    about:
      "Unpacked and its text found by one regular expression, without styles, lists, notes or entities, against document.read of all of it. A new host runs from source and takes off its types first; a build has none.",
    rounds: 10,
    // V8 optimizes hot code while the first dozen documents is read.
    warmUpRounds: 5,
    lapsPerRound: 4,
    goals: [{ measure: "cpuMs", timesReference: 3 }],
    contenders: {
      "unzip and scan": () => scan(name, parts, text),
      toolcrib: () => readContender(name, { maxChars: 20_000_000 }),
      "toolcrib, with a new host": () => coldContender(name),
    },
  };
}

function scan(name: string, parts: readonly string[], text: RegExp): Contender {
  return {
    run: () => {
      const zip = openZip(readFileSync(documentPath(name)), name, new Budget(name));
      let line = "";
      for (const { name: part } of zip.entries) {
        if (!parts.some((wanted) => part.startsWith(wanted) && part.endsWith(".xml"))) continue;
        for (const [, words = "\n"] of zip.text(part)!.matchAll(text)) line += words;
      }
      return line.match(/\w+/g)!.length;
    },
  };
}

function open(sample: string): Zip {
  return openZip(readFileSync(new URL(sample, samples)), sample, new Budget(sample));
}

/** Repeats the body of a sample, with paragraphs of generated prose in its own markup in between. */
function asBook(sample: string, part: string, body: RegExp, paragraph: string): Buffer {
  const zip = open(sample);
  return makeZip(
    zip.entries.map(({ name }) => {
      const content = zip.text(name)!;
      if (name !== part) return { name, content };
      const [whole, inside] = body.exec(content)!;
      const before = inside!.slice(0, inside!.indexOf("Bring along:"));
      const own = inside!
        .slice(Math.max(...[">", " "].map((end) => before.lastIndexOf(`<${paragraph}${end}`))))
        .split(`</${paragraph}>`, 1)[0]!;
      const prose = () => `${own.replace("Bring along:", sentences())}</${paragraph}>`;
      const chapters = Array.from(
        { length: times },
        () => `${Array.from({ length: 12 }, prose).join("")}${inside}`,
      );
      return { name, content: content.replace(whole, () => whole.replace(inside!, () => chapters.join(""))) };
    }),
  );
}

/** Returns some sixty different words, because repeated text would compress to nothing. */
function sentences(): string {
  return Array.from({ length: 60 }, () => word()).join(" ");
}

let seed = 1;

function word(): string {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed.toString(36).slice(0, 2 + (seed % 8));
}

function manySlides(sample: string): Buffer {
  const zip = open(sample);
  const numbers = Array.from({ length: times }, (_, index) => index + 1);
  const slide = zip.text("ppt/slides/slide1.xml")!;
  const relations = zip.text("ppt/slides/_rels/slide1.xml.rels")!;
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const presentation = `<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="${office}"><p:sldIdLst>${numbers.map((number) => `<p:sldId r:id="s${number}"/>`).join("")}</p:sldIdLst></p:presentation>`;
  const listed = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${numbers.map((number) => `<Relationship Id="s${number}" Type="${office}/slide" Target="slides/slide${number}.xml"/>`).join("")}</Relationships>`;
  const notes = zip.text("ppt/notesSlides/notesSlide1.xml")!;
  return makeZip([
    ...["[Content_Types].xml", "_rels/.rels", "docProps/core.xml", "docProps/app.xml"].map((name) => ({
      name,
      content: zip.text(name)!,
    })),
    { name: "ppt/presentation.xml", content: presentation },
    { name: "ppt/_rels/presentation.xml.rels", content: listed },
    ...numbers.flatMap((number) => [
      { name: `ppt/slides/slide${number}.xml`, content: slide },
      {
        name: `ppt/slides/_rels/slide${number}.xml.rels`,
        content: relations.replaceAll("notesSlide1.xml", `notesSlide${number}.xml`),
      },
      { name: `ppt/notesSlides/notesSlide${number}.xml`, content: notes },
    ]),
  ]);
}
