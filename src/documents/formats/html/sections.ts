import type { DocumentPart } from "../../../contract/document.ts";
import type { MarkdownPage } from "./html-to-markdown.ts";

/**
 * A long page in sections that can be asked for. They begin at headings where they can, and depend on nothing but the
 * page.
 */
export function sectionsOf({
  markdown,
  starts,
}: Pick<MarkdownPage, "markdown" | "starts">): readonly DocumentPart[] {
  const sections: DocumentPart[] = [];
  let first = 0;
  let title = starts[0]?.heading;
  const end = (offset: number) => {
    const text = markdown.slice(first, offset).trimEnd();
    const anchor = `section ${sections.length + 1}`;
    if (text !== "") sections.push(title === undefined ? { anchor, text } : { anchor, title, text });
  };
  for (const [place, { offset, heading }] of starts.entries()) {
    const next = starts[place + 1]?.offset ?? markdown.length;
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
