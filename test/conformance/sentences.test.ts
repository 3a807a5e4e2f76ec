import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readVectors } from "./vector.ts";

const here = import.meta.dirname;

/** A statement of a source, with its proofs or the reason why it has none. */
type Sentence = { readonly sentence: string } & (
  | {
      /** `omega/edit: name of the vector`, `test: src/compat/omega.test.ts: title of the test` */
      readonly shown: readonly string[];
    }
  | { readonly promises: "nothing"; readonly because: string }
);

/** A page of a source, and the lists that cover it. */
interface Page {
  readonly name: string;
  readonly text: string;
  readonly lists: readonly string[];
}

const lists = globSync("sentences/*.json", { cwd: here }).sort();
const pages = [...sourcePages(), ...contractPages()];
const vectors = new Set(readVectors().map(({ title }) => title));

it.each(pages)("every line of $name is covered", (page) => {
  const sentences = page.lists.flatMap(sentencesIn).map(({ sentence }) => sentence);
  const isAnswered = (line: string) =>
    sentences.some((sentence) => sentence.includes(line) || line.includes(sentence));
  const lines = page.text.split("\n").map((line) => line.trim());
  expect(lines.filter((line) => line !== "" && !isAnswered(line))).toEqual([]);
});

it.each(lists)("%s quotes only its source, and cites only existing proofs", (list) => {
  const page = pages.find((each) => each.lists.includes(list));
  const wrong = sentencesIn(list).flatMap((entry) => {
    const isSaid = entry.sentence !== "" && page?.text.includes(entry.sentence);
    const proofs = "shown" in entry ? entry.shown : [];
    const isExplained = "shown" in entry ? proofs.length > 0 : entry.because !== "";
    const absent = proofs.filter((proof) => !isThere(proof));
    return isSaid && isExplained && absent.length === 0 ? [] : [{ sentence: entry.sentence, isSaid, absent }];
  });
  expect(wrong).toEqual([]);
});

it("every list belongs to a page", () => {
  const known = pages.flatMap((page) => page.lists);
  expect(lists.filter((list) => !known.includes(list))).toEqual([]);
});

function sourcePages(): readonly Page[] {
  return globSync("sources/*.txt", { cwd: here })
    .sort()
    .map((path) => {
      const name = path.slice("sources/".length, -".txt".length);
      const text = readFileSync(join(here, path), "utf8");
      return { name, text, lists: lists.filter((list) => list === `sentences/${name}.json`) };
    });
}

/**
 * `contracts-omega.json` covers the section whose heading names omega; the text before all headings belongs to
 * toolcrib.
 */
function contractPages(): readonly Page[] {
  const contracts = readFileSync(join(here, "sources/CONTRACTS.md"), "utf8");
  return contracts.split(/^(?=## )/m).map((text, at) => {
    const [heading = ""] = text.split("\n", 1);
    const name = at === 0 ? "toolcrib" : heading.slice("## ".length);
    const dialects = name.match(/[a-z]+(?:-[a-z]+)*/g) ?? [];
    const own = dialects.map((dialect) => `sentences/contracts-${dialect}.json`);
    return { name: `the contract of ${name}`, text, lists: lists.filter((list) => own.includes(list)) };
  });
}

function sentencesIn(list: string): readonly Sentence[] {
  return JSON.parse(readFileSync(join(here, list), "utf8"));
}

function isThere(proof: string): boolean {
  const [, file, title] = /^test: (\S+): (.*)$/s.exec(proof) ?? [];
  if (file === undefined || title === undefined) return vectors.has(proof);
  const path = join(here, "../..", file);
  return existsSync(path) && readFileSync(path, "utf8").includes(JSON.stringify(title));
}
