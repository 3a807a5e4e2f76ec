import type { Budget } from "../../budget.ts";
import { type ParagraphKind, plainParagraph, Sheet } from "./sheet.ts";

export interface Story {
  readonly budget: Budget;
  /** Those that have begun and not ended, without the innermost. */
  readonly groups: Group[];
  group: Group;
  readonly sheet: Sheet;
  /** Behind `\*`: what follows may be unknown. */
  isStarred: boolean;
  /** Characters still to be left out behind a `\u`. */
  leftOut: number;
  /** Bytes that are not decoded yet: characters may have several. */
  bytes: string;
  /** Of the document, for fonts that have none. */
  charset: string;
  readonly fonts: Map<number, Font>;
  readonly styles: Map<number, Style>;
  declared: number;
  /** Who comments, and when, until the comment begins. */
  commenter: string;
  commented: string;
  readonly time: Map<string, number>;
  /** Texts of headers and footers, with what they stand in. */
  readonly margins: Map<string, string>;
  readonly cited: Map<string, number>;
  readonly properties: Map<string, string>;
  readonly tally: { changes: number; hidden: number; pictures: number };
}

/** What holds until the end of a group, also for groups in it. */
export interface Group {
  /** Where text goes: to the sheet, to what is noted, or nowhere. */
  readonly destination: "sheet" | "noted" | "nowhere" | "fonts" | "styles";
  /** Where it went before it went nowhere. */
  readonly before: Group["destination"];
  readonly sheet: Sheet;
  readonly noted: { text: string };
  readonly paragraph: ParagraphKind;
  readonly font: number | undefined;
  /** How many characters repeat a `\u` for programs that do not know it. */
  readonly fallbacks: number;
  readonly isDeleted: boolean;
  /** The footnote around turns out to be an endnote. */
  readonly moveToEnd: (() => void) | undefined;
  readonly field: { code: string } | undefined;
  /** In what the file says of itself. */
  readonly isInformation: boolean;
  readonly picture: { property: string; description: string } | undefined;
  /** What is to be done when it ends; not for groups in it. */
  readonly atEnd: (() => void) | undefined;
}

interface Font {
  name: string;
  charset: string | undefined;
}

export interface Style {
  name: string;
  outline: number | undefined;
  basedOn: number | undefined;
}

export function beginStory(budget: Budget): Story {
  const styles = new Map<number, Style>();
  const sheet = new Sheet(budget, (paragraph) => headingOf(paragraph, styles));
  const group: Group = {
    destination: "sheet",
    before: "sheet",
    sheet,
    noted: { text: "" },
    paragraph: plainParagraph,
    font: undefined,
    fallbacks: 1,
    isDeleted: false,
    moveToEnd: undefined,
    field: undefined,
    isInformation: false,
    picture: undefined,
    atEnd: undefined,
  };
  return {
    budget,
    groups: [],
    group,
    sheet,
    isStarred: false,
    leftOut: 0,
    bytes: "",
    charset: "windows-1252",
    fonts: new Map(),
    styles,
    declared: 0,
    commenter: "",
    commented: "",
    time: new Map(),
    margins: new Map(),
    cited: new Map(),
    properties: new Map(),
    tally: { changes: 0, hidden: 0, pictures: 0 },
  };
}

/** By its own level, else by that of its style or of one that this is based on. */
export function headingOf(
  { style, outline }: ParagraphKind,
  styles: ReadonlyMap<number, Style>,
): number | undefined {
  if (outline !== undefined) return outline < 9 ? outline + 1 : undefined;
  let next = style;
  for (let hops = 0; next !== undefined && hops < 20; hops += 1) {
    const found = styles.get(next);
    const named = /^heading (\d)/i.exec(found?.name ?? "")?.[1];
    if (found?.outline !== undefined) return found.outline < 9 ? found.outline + 1 : undefined;
    if (named !== undefined) return Number(named);
    if (/^title\b/i.test(found?.name ?? "")) return 1;
    next = found?.basedOn;
  }
  return undefined;
}
