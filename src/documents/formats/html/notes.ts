import { type Element, textOf } from "./element.ts";

/** What a reference to a footnote says: `1`; undefined for other links. */
export function noteReference(link: Element): string | undefined {
  const { class: classes = "", href = "", role } = link.attributes;
  const isOne =
    role === "doc-noteref" ||
    link.attributes["data-footnote-ref"] !== undefined ||
    /(?:^|\s)(?:footnote-ref|footnote-reference|fnref)(?:\s|$)/.test(classes) ||
    (link.parent?.name === "sup" && noteTarget.test(href));
  if (!isOne || link.textLength > mostChars) return undefined;
  const label = textOf(link).replace(/[[\]()\s]/g, "");
  return label === "" || label.length > 20 ? undefined : label;
}

/** Whether it holds the footnotes themselves. */
export function isNoteList({ attributes: { class: classes = "", role = "" } }: Element): boolean {
  return role === "doc-endnotes" || /(?:^|\s)(?:footnotes|references|endnotes)(?:\s|$)/.test(classes);
}

/** A link from a note back to where it is referred to. */
export function isBackLink(link: Element): boolean {
  const { class: classes = "", href = "", role } = link.attributes;
  if (role === "doc-backlink" || /footnote-back|(?:^|\s)(?:fn-backref|mw-cite-backlink)/.test(classes))
    return true;
  return (
    href.startsWith("#") &&
    link.textLength <= mostChars &&
    /^(?:[\s\u21a9\u2191\u21b5^]|\ufe0e|\ufe0f)+$/.test(textOf(link))
  );
}

/** Of a mark, with what is around it: the text of a longer one is not gathered to see that it is none. */
const mostChars = 60;

const noteTarget = /^#(?:user-content-)?(?:fn|footnote|endnote|cite_note|note)[-_:.]?\w/i;
