import { execFile, execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Random } from "../data/random.ts";
import type { DocumentCases } from "../groups/documents.ts";
import type { Contender } from "../harness.ts";
import { coldContender, documentPath, readContender } from "./read-contender.ts";

const run = promisify(execFile);
const name = "book.pdf";

export const pdf: DocumentCases = {
  prepare: () => {
    writeFileSync(documentPath("book.html"), book());
    const folder = dirname(documentPath(name));
    const words = ["--headless", "--infilter=HTML (StarWriter)", "--convert-to", "pdf", "--outdir", folder];
    // Uses a separate profile, because a running LibreOffice would get the request and might not answer.
    const profile = `-env:UserInstallation=${pathToFileURL(documentPath("profile"))}`;
    execFileSync("soffice", [profile, ...words, documentPath("book.html")], { stdio: "ignore" });
  },
  cases: [
    {
      name: "read a PDF of 120 pages",
      about:
        "Prose, lists and tables, printed by LibreOffice: pdftotext against document.read of all of it. A new host runs from source and takes off its types first; a build has none.",
      rounds: 10,
      // V8 optimizes PDFium's hot code while the first dozen documents is read.
      warmUpRounds: 4,
      lapsPerRound: 3,
      goals: [{ measure: "cpuMs", timesReference: 1.5 }],
      contenders: {
        pdftotext: () => byPdftotext([]),
        toolcrib: () => readContender(name, { maxChars: 20_000_000 }),
        "toolcrib, with a new host": () => coldContender(name),
      },
    },
    {
      name: "read the first 5 of 120 pages of a PDF",
      about: "pdftotext -l 5 against document.read of `pages 1-5`: the others are not looked at.",
      rounds: 10,
      lapsPerRound: 5,
      goals: [{ measure: "cpuMs", timesReference: 3 }],
      contenders: {
        "pdftotext -l 5": () => byPdftotext(["-l", "5"]),
        toolcrib: () => readContender(name, { part: "pages 1-5" }),
      },
    },
  ],
};

function byPdftotext(options: readonly string[]): Contender {
  return {
    run: async () => {
      const { stdout } = await run("pdftotext", [...options, documentPath(name), "-"], {
        maxBuffer: 2 ** 28,
      });
      return countWords(stdout);
    },
  };
}

function countWords(text: string): number {
  return text.match(/\w+/g)?.length ?? 0;
}

/** Chapters of about two pages each in LibreOffice. */
function book(): string {
  const random = new Random(7);
  const syllables = [
    "ka",
    "lo",
    "mi",
    "ter",
    "ran",
    "sel",
    "vo",
    "dun",
    "pre",
    "con",
    "al",
    "ou",
    "st",
    "gra",
  ];
  const word = () => Array.from({ length: 1 + random.below(4) }, () => random.pick(syllables)).join("");
  const words = (count: number) => Array.from({ length: count }, word).join(" ");
  const row = () =>
    `<tr>${Array.from({ length: 4 }, () => `<td>${word()} ${random.below(9999)}</td>`).join("")}</tr>`;
  const chapters = Array.from({ length: 54 }, (_, chapter) => {
    const prose = Array.from(
      { length: 9 },
      () => `<p>${words(60 + random.below(50))}. Café — “quoted” € 12,50.</p>`,
    );
    const table =
      chapter % 6 === 0 ? `<table border=1>${Array.from({ length: 8 }, row).join("")}</table>` : "";
    const list = `<ul>${Array.from({ length: 5 }, () => `<li>${words(2)}</li>`).join("")}</ul>`;
    return `<h1>Chapter ${chapter + 1} ${words(3)}</h1>${prose.join("")}${table}${list}<p style="page-break-after: always"></p>`;
  });
  return `<html><head><meta charset="utf-8"><title>A book</title></head><body>${chapters.join("")}</body></html>`;
}
