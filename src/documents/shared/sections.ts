import type { DocumentContent, DocumentSource, DocumentWanted } from "../../contract/document.ts";
import { gatherParts, noSuchPart, splitAnchor, wholeText } from "../anchors.ts";
import { type Block, separator, showBlock } from "./blocks.ts";

/** A part of a text document without pages: some thousand characters, starting at a heading if one is near. */
interface Section {
  readonly title: string | undefined;
  readonly text: string;
  readonly headings: readonly string[];
}

export async function showSections(
  blocks: readonly Block[],
  { name }: DocumentSource,
  wanted: DocumentWanted,
): Promise<Pick<DocumentContent, "consistsOf" | "parts" | "next">> {
  const sections = sectionsOf(blocks);
  const [only] = sections;
  if (sections.length <= 1)
    return { consistsOf: undefined, ...wholeText(only?.text ?? "", asWhole(wanted, only), name) };
  const order = { one: "section", total: sections.length, name };
  const gathered = await gatherParts(byHeading(wanted, sections, name), order, (number) => {
    const { title, text } = sections[number - 1]!;
    return { anchor: `section ${number}`, title, text };
  });
  return { consistsOf: { one: "section", total: sections.length }, ...gathered };
}

/** A heading ends a section of at least this length. */
const shortest = 3_000;
/** Any block ends a section of at least this length. */
const longest = 12_000;

function sectionsOf(blocks: readonly Block[]): readonly Section[] {
  const sections: Section[] = [];
  let title: string | undefined;
  let current = newSection();
  const finish = () => {
    if (current.text !== "" || current.notes.length > 0) {
      const notes = current.notes.join("\n");
      const text = notes === "" || current.text === "" ? current.text + notes : `${current.text}\n\n${notes}`;
      const began = current.headings[0];
      const goesOn = began === undefined && title !== undefined ? `${title} (continued)` : began;
      sections.push({ title: goesOn, text, headings: current.headings });
      title = current.headings.at(-1) ?? title;
    }
    current = newSection();
  };
  for (const block of blocks) {
    if (block.kind === "note") {
      current.notes.push(showBlock(block));
      continue;
    }
    const { length } = current.text;
    if (length >= (block.kind === "heading" ? shortest : longest)) finish();
    current.text += separator(current.last, block) + showBlock(block);
    current.last = block;
    if (block.kind === "heading") current.headings.push(block.text.trim());
  }
  finish();
  return sections;
}

interface Growing {
  text: string;
  last: Block | undefined;
  readonly headings: string[];
  readonly notes: string[];
}

function newSection(): Growing {
  return { text: "", last: undefined, headings: [], notes: [] };
}

/** Finds the section of a heading that is asked for by its text. */
function byHeading(wanted: DocumentWanted, sections: readonly Section[], name: string): DocumentWanted {
  const { anchor, from } = splitAnchor(wanted.part);
  if (anchor === undefined || /^(?:sections?\s*)?\d+\s*(?:(?:-|–|to|\.\.)\s*\d*)?$/i.test(anchor))
    return wanted;
  const text = folded(anchor);
  const found = sections.findIndex(({ headings }) => headings.some((heading) => folded(heading) === text));
  if (found !== -1) return { ...wanted, part: `section ${found + 1}${from > 1 ? ` from ${from}` : ""}` };
  const titles = sections.flatMap(({ title }, index) =>
    title === undefined ? [] : [`"section ${index + 1}" (${title.slice(0, 60)})`],
  );
  const some = titles.slice(0, 12).join(", ") || '"section 1"';
  const pages = /^pages?\b/i.test(anchor) ? "it has no pages of its own, but" : "it has";
  throw noSuchPart(anchor, name, `${pages} ${sections.length} sections`, some);
}

function asWhole(wanted: DocumentWanted, only: Section | undefined): DocumentWanted {
  const { anchor, from } = splitAnchor(wanted.part);
  const isWhole =
    anchor !== undefined &&
    (/^(?:section\s*)?1$/i.test(anchor) ||
      only?.headings.some((heading) => folded(heading) === folded(anchor)));
  return isWhole ? { ...wanted, part: `from ${from}` } : wanted;
}

function folded(text: string): string {
  return text
    .replace(/^#+\s*/, "")
    .replaceAll(/\s+/g, " ")
    .trim()
    .toLowerCase();
}
