import type { DocumentPart } from "../../../contract/document.ts";
import { decodePage } from "../../../lib/text/decode-page.ts";
import { counted, showSize } from "../../../lib/text/format-quantity.ts";
import { gatherParts, splitAnchor, wholeText } from "../../anchors.ts";
import type { DocumentReader } from "../../reader.ts";
import { htmlToMarkdown, type MarkdownPage } from "./html-to-markdown.ts";

/** Reads web pages as Markdown. The part "whole page" includes navigation. Long pages have sections. */
export const readHtml: DocumentReader = async ({ name, bytes, mediaType }, wanted, context) => {
  if (bytes.length > longBytes) context.progress(`reading ${showSize(bytes.length)} of HTML`);
  const { text } = decodePage(bytes, mediaType);
  const { isWhole, part } = wholeness(wanted.part);
  const page = htmlToMarkdown(text, { base: isWebAddress(name) ? name : undefined, whole: isWhole });
  const sections = sectionsOf(page);
  const isShort = sections.length <= 1 || (part === undefined && page.markdown.length <= wanted.maxChars);
  const { parts, next } = isShort
    ? wholeText(page.markdown, { ...wanted, part }, name)
    : await gatherParts(
        { ...wanted, part },
        { one: "section", total: sections.length, name },
        (number) => sections[number - 1]!,
      );
  return {
    format: "html",
    description: "web page",
    properties: page.properties,
    consistsOf: isShort ? undefined : { one: "section", total: sections.length },
    parts: isWhole ? parts.map((shown) => ({ ...shown, anchor: ofWhole(shown.anchor) })) : parts,
    next: isWhole && next !== undefined ? ofWhole(next) : next,
    notes: notesOn(page),
  };
};

const longBytes = 5_000_000;

function wholeness(part: string | undefined): {
  readonly isWhole: boolean;
  readonly part: string | undefined;
} {
  const { anchor, from } = splitAnchor(part);
  const match = /^whole\b\s*(?:page\b)?\s*/i.exec(anchor ?? "");
  if (match === null) return { isWhole: false, part };
  const rest = anchor!.slice(match[0].length);
  return { isWhole: true, part: [rest, ...(from > 1 ? [`from ${from}`] : [])].join(" ").trim() || undefined };
}

function ofWhole(anchor: string): string {
  return anchor === "" || anchor.startsWith("from") ? `whole page ${anchor}`.trim() : `whole ${anchor}`;
}

function notesOn({ markdown, leftOut }: MarkdownPage): readonly string[] {
  if (markdown === "") return ["The page has no text: perhaps a script writes it."];
  if (leftOut === 0) return [];
  return [
    `${counted(leftOut, "character")} around it (navigation and the like) left out. \`part\` "whole page" shows all.`,
  ];
}

function isWebAddress(name: string): boolean {
  return /^https?:\/\//i.test(name) && URL.canParse(name);
}

/** Divides a long page into sections, at headings if possible. The same page always has the same sections. */
function sectionsOf({ markdown, starts }: MarkdownPage): readonly DocumentPart[] {
  const sections: DocumentPart[] = [];
  let first = 0;
  let title = starts[0]?.heading;
  const end = (offset: number) => {
    const text = markdown.slice(first, offset).trimEnd();
    const anchor = `section ${sections.length + 1}`;
    if (text !== "") sections.push(title === undefined ? { anchor, text } : { anchor, title, text });
  };
  for (const [index, { offset, heading }] of starts.entries()) {
    const next = starts[index + 1]?.offset ?? markdown.length;
    const isLong = heading === undefined ? next - first > mostChars : offset - first >= fewestChars;
    if (offset > first && isLong) {
      end(offset);
      first = offset;
      title = heading;
    }
    title ??= heading;
  }
  end(markdown.length);
  return sections;
}

const fewestChars = 4000;
const mostChars = 12_000;
