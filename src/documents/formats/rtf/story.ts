import type { Budget } from "../../budget.ts";
import { append, type Block, cellText, commentBy, link, nextLabel, picture } from "../../shared/blocks.ts";
import { symbol } from "../../shared/symbols.ts";
import { characters, charsetOfFont, charsetOfPage, decodeBytes, symbolCharset } from "./characters.ts";
import { type ParagraphKind, plainParagraph, Sheet } from "./sheet.ts";
import type { Token } from "./tokens.ts";

/** Settings that apply until the end of a group, including nested groups. */
interface Group {
  readonly destination: "sheet" | "noted" | "nowhere" | "fonts" | "styles";
  readonly sheet: Sheet;
  readonly noted: { text: string };
  readonly paragraph: ParagraphKind;
  readonly font?: number;
  /** The number of characters after `\u` that repeat it for programs without Unicode. */
  readonly fallbacks: number;
  readonly isDeleted: boolean;
  readonly isInformation: boolean;
  readonly field?: { code: string } | undefined;
  readonly picture?: { property: string; description: string };
  /** Changes the surrounding footnote to an endnote. */
  readonly becomeEndnote?: () => void;
  /** Is called at the end of this group, not of nested groups. */
  readonly atEnd?: (() => void) | undefined;
}

interface Style {
  name: string;
  outline?: number;
  basedOn?: number | undefined;
}

export class Story {
  readonly sheet: Sheet;
  /** "Page header" or "Page footer" by text. */
  readonly margins = new Map<string, string>();
  readonly properties = new Map<string, string>();
  readonly tally = { changes: 0, hidden: 0, pictures: 0 };
  readonly #budget: Budget;
  readonly #groups: Group[] = [];
  readonly #fonts = new Map<number, { name: string; charset: string | undefined }>();
  readonly #styles = new Map<number, Style>();
  readonly #cited = new Map<string, number>();
  readonly #time = new Map<string, number>();
  #group: Group;
  /** After `\*`, an unknown destination is skipped. */
  #isStarred = false;
  /** The number of characters still to skip after a `\u`. */
  #skipped = 0;
  /** The bytes that are not decoded yet, because a character may have several. */
  #bytes = "";
  #charset = "windows-1252";
  /** The font or style whose declaration is being read. */
  #declared = 0;
  #commenter = "";
  #commentDay = "";

  constructor(budget: Budget) {
    this.#budget = budget;
    this.sheet = this.#newSheet();
    this.#group = {
      destination: "sheet",
      sheet: this.sheet,
      noted: { text: "" },
      paragraph: plainParagraph,
      fallbacks: 1,
      isDeleted: false,
      isInformation: false,
    };
  }

  /** Handles a token. Returns false at the end of the document. */
  take(token: Token): boolean {
    switch (token.kind) {
      case "open":
        this.#flush();
        this.#skipped = 0;
        this.#groups.push(this.#group);
        this.#budget.descend(this.#groups.length);
        this.#set({ atEnd: undefined });
        return true;
      case "close":
        this.#endGroup();
        return this.#groups.length > 0;
      case "text": {
        const from = Math.min(this.#skipped, token.text.length);
        this.#skipped -= from;
        this.#bytes += token.text.slice(from);
        return true;
      }
      case "control":
        this.#flush();
        this.#takeControl(token.word, token.value);
        return true;
    }
  }

  /** Closes everything that is open. Returns false for an incomplete document. */
  end(): boolean {
    const isWhole = this.#groups.length === 0;
    while (this.#groups.length > 0) this.#endGroup();
    return isWhole;
  }

  #set(changes: Partial<Group>): void {
    this.#group = { ...this.#group, ...changes };
  }

  #setParagraph(changes: Partial<ParagraphKind>): void {
    this.#set({ paragraph: { ...this.#group.paragraph, ...changes } });
  }

  #endGroup(): void {
    this.#flush();
    this.#skipped = 0;
    this.#isStarred = false;
    this.#group.atEnd?.();
    this.#group = this.#groups.pop() ?? this.#group;
  }

  #takeControl(word: string, value: number | undefined): void {
    if (word === "*") {
      this.#isStarred = true;
      return;
    }
    const isStarred = this.#isStarred;
    this.#isStarred = false;
    if (word === "u") this.#takeUnicode(value ?? 0);
    // For `\u`, a control word counts as one character.
    else if (this.#skipped > 0) this.#skipped -= 1;
    else if (this.#begin(word) || transparent.has(word)) return;
    else if (isStarred || silent.has(word)) this.#set({ destination: "nowhere" });
    else if (characters.has(word)) this.#write(characters.get(word)!);
    else this.#apply(word, value);
  }

  #takeUnicode(value: number): void {
    const code = value < 0 ? value + 0x10000 : value;
    const font = this.#fonts.get(this.#group.font ?? -1);
    const shown = code >= 0xf000 && code <= 0xf0ff ? symbol(font?.name ?? "", code) : undefined;
    this.#write(shown ?? String.fromCharCode(code));
    this.#skipped = this.#group.fallbacks;
  }

  #flush(): void {
    const bytes = this.#bytes;
    if (bytes === "") return;
    this.#bytes = "";
    const font = this.#fonts.get(this.#group.font ?? -1);
    if (font?.charset === symbolCharset && this.#group.destination !== "fonts")
      this.#write(Array.from(bytes, (byte) => symbol(font.name, byte.charCodeAt(0)) ?? byte).join(""));
    else this.#write(decodeBytes(bytes, font?.charset ?? this.#charset));
  }

  #write(text: string): void {
    const { destination, sheet, noted, isDeleted } = this.#group;
    if (destination === "sheet" && !isDeleted) sheet.line += text;
    else if (destination === "noted") noted.text += text;
    else if (destination === "fonts" || destination === "styles") {
      const declared = (destination === "fonts" ? this.#fonts : this.#styles).get(this.#declared);
      if (declared && declared.name.length < 100) declared.name += text.replace(/;.*/s, "").trim();
    }
  }

  /** Begins a destination. Returns false for a word that does not name one. */
  #begin(word: string): boolean {
    const margin = /^(header|footer)[lrf]?$/.exec(word)?.[1];
    if (margin !== undefined)
      this.#beginSheet((blocks) => {
        const text = cellText(blocks).trim();
        if (text !== "" && !this.margins.has(text)) this.margins.set(text, `Page ${margin}`);
      });
    else if (word === "footnote") this.#beginFootnote();
    else if (word === "annotation") this.#beginComment();
    else if (word === "shptxt") {
      const { boxes } = this.#group.sheet;
      this.#beginSheet((blocks) => append(boxes, blocks));
    } else if (word === "listtext" || word === "pntext") {
      const { sheet } = this.#group;
      this.#note((text) => Object.assign(sheet, { marker: text }));
    } else if (word === "field") this.#set({ field: { code: "" } });
    else if (word === "fldinst") {
      const { field } = this.#group;
      this.#note((text) => field && Object.assign(field, { code: field.code + text }));
    } else if (word === "fldrslt") this.#beginFieldResult();
    else if (word === "atnauthor") this.#note((text) => (this.#commenter = text));
    else if (word === "atndate") this.#note((text) => (this.#commentDay = packedDay(Number(text))));
    else if (word === "pict") this.#beginPicture();
    else if (word === "info") this.#set({ destination: "nowhere", isInformation: true });
    else if (word === "generator")
      this.#note((text) => this.properties.set("software", text.replace(/;$/, "")));
    else if (word === "fonttbl") this.#set({ destination: "fonts" });
    else if (word === "stylesheet") this.#set({ destination: "styles" });
    else if (this.#group.isInformation && information.has(word)) this.#beginInformation(word);
    else if (this.#group.picture && (word === "sn" || word === "sv")) this.#beginPictureProperty(word);
    else return false;
    return true;
  }

  /** Excludes the text of the group from the document, and passes it to the callback at the end. */
  #note(pass: (text: string) => void): void {
    const noted = { text: "" };
    this.#set({ destination: "noted", noted, atEnd: () => pass(noted.text.trim()) });
  }

  #newSheet(): Sheet {
    return new Sheet(this.#budget, (paragraph) => headingOf(paragraph, this.#styles));
  }

  #beginSheet(pass: (blocks: readonly Block[]) => void): void {
    const sheet = this.#newSheet();
    const atEnd = () => pass(sheet.end(this.#group.paragraph));
    this.#set({ destination: "sheet", sheet, paragraph: plainParagraph, atEnd });
  }

  #beginFootnote(): void {
    const { sheet } = this.#group;
    let kind = "footnote";
    this.#beginSheet((blocks) => this.#cite(sheet, kind, cellText(blocks).trim()));
    this.#set({
      becomeEndnote: () => {
        kind = "endnote";
      },
    });
  }

  #beginComment(): void {
    const { sheet } = this.#group;
    this.#beginSheet((blocks) => {
      const by = commentBy(this.#commenter, this.#commentDay);
      this.#cite(sheet, "comment", by + cellText(blocks).trim());
      this.#commenter = "";
      this.#commentDay = "";
    });
  }

  #cite(sheet: Sheet, kind: string, text: string): void {
    const label = nextLabel(this.#cited, kind);
    sheet.line += `[^${label}]`;
    sheet.cited.push({ kind: "note", label, text });
  }

  #beginFieldResult(): void {
    const { field, sheet, destination } = this.#group;
    const start = sheet.line.length;
    const { ended } = sheet;
    const atEnd = () => {
      const target = /^HYPERLINK\s+"([^"]*)"/i.exec(field?.code ?? "")?.[1];
      // Longer paragraphs are hostile, and copying them for each link would take quadratic time.
      const isOpen = destination === "sheet" && sheet.ended === ended && start < 50_000;
      if (isOpen && target !== undefined)
        sheet.line = sheet.line.slice(0, start) + link(sheet.line.slice(start), target);
    };
    this.#set({ field: undefined, atEnd });
  }

  #beginPicture(): void {
    const { destination, sheet } = this.#group;
    const described = { property: "", description: "" };
    this.#set({ destination: "nowhere" });
    if (destination !== "sheet") return;
    this.tally.pictures += 1;
    const atEnd = () => {
      sheet.line += picture(described.description);
    };
    this.#set({ picture: described, atEnd });
  }

  #beginPictureProperty(word: string): void {
    const described = this.#group.picture!;
    this.#note((text) => {
      if (word === "sn") described.property = text;
      else if (described.property === "wzDescription") described.description = text;
    });
  }

  #beginInformation(word: string): void {
    const name = information.get(word)!;
    this.#time.clear();
    this.#note((text) => {
      const value = word.endsWith("tim") ? timeOf(this.#time) : text;
      // LibreOffice writes the last editor as a second author.
      if (value !== "" && !this.properties.has(name)) this.properties.set(name, value.slice(0, 500));
    });
  }

  /** Applies a word that ends a block or changes settings. */
  #apply(word: string, value: number | undefined): void {
    const { destination, sheet, paragraph } = this.#group;
    const isOn = value !== 0;
    if (destination === "sheet") {
      if (word === "par" || word === "sect" || word === "nestcell") sheet.endParagraph(paragraph);
      else if (word === "cell") sheet.endCell(paragraph);
      else if (word === "row") sheet.endRow();
    }
    if (isOn && (word === "deleted" || word === "revised")) this.tally.changes += 1;
    if (isOn && word === "v") this.tally.hidden += 1;
    if (word === "ftnalt") this.#group.becomeEndnote?.();
    else if (word === "pard") this.#set({ paragraph: plainParagraph });
    else if (word === "plain") this.#set({ isDeleted: false });
    else if (word === "intbl") this.#setParagraph({ isInTable: true });
    else if (word === "itap") this.#setParagraph({ isInTable: (value ?? 1) > 0 });
    else if (word === "ilvl") this.#setParagraph({ level: Math.min(Math.max(value ?? 0, 0), 8) });
    else if (word === "uc") this.#set({ fallbacks: Math.min(Math.max(value ?? 1, 0), 100) });
    else if (word === "deleted") this.#set({ isDeleted: isOn });
    else if (/^(?:yr|mo|dy|hr|min)$/.test(word)) this.#time.set(word, value ?? 0);
    else this.#declare(word, value);
  }

  /** Applies a word about fonts, styles or encodings. */
  #declare(word: string, value: number | undefined): void {
    const { destination } = this.#group;
    const font = this.#fonts.get(this.#declared);
    const style = this.#styles.get(this.#declared);
    if (word === "ansicpg") this.#charset = charsetOfPage(value ?? 1252);
    else if (word === "fcharset" && font) font.charset = charsetOfFont(value ?? 0);
    else if (word === "cpg" && font) font.charset = charsetOfPage(value ?? 1252);
    else if (word === "f" && destination === "fonts") {
      this.#declared = value ?? 0;
      this.#fonts.set(this.#declared, { name: "", charset: undefined });
    } else if (word === "f") this.#set({ font: value ?? 0 });
    else if (destination !== "styles") {
      if (word === "s") this.#setParagraph({ style: value ?? 0 });
      else if (word === "outlinelevel") this.#setParagraph({ outline: value ?? 9 });
    } else if (word === "s") {
      this.#declared = value ?? 0;
      this.#styles.set(this.#declared, { name: "" });
    } else if (word === "outlinelevel" && style) style.outline = value ?? 9;
    else if (word === "sbasedon" && style) style.basedOn = value;
  }
}

/** Words after `\*` whose groups contain text. */
const transparent: ReadonlySet<string> = new Set("shpinst shppict picprop sp nesttableprops cs".split(" "));

/** Groups that contain no text, or repeated text, even without `\*`. */
const silent: ReadonlySet<string> = new Set(
  (
    "colortbl filetbl nonshppict shprslt nonesttables objdata template private do sn sv ud xe tc tcn rxe " +
    "ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn"
  ).split(" "),
);

/** Names of the document properties, in the order in which they are shown. */
export const information: ReadonlyMap<string, string> = new Map([
  ["title", "title"],
  ["author", "author"],
  ["operator", "last modified by"],
  ["subject", "subject"],
  ["doccomm", "description"],
  ["keywords", "keywords"],
  ["category", "category"],
  ["company", "company"],
  ["creatim", "created"],
  ["revtim", "modified"],
]);

/** Returns the level of a heading, from the paragraph, its style or a style that it is based on. */
function headingOf(
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

function timeOf(time: ReadonlyMap<string, number>): string {
  const two = (unit: string) => String(time.get(unit) ?? 0).padStart(2, "0");
  const year = time.get("yr") ?? 0;
  return year === 0 ? "" : `${year}-${two("mo")}-${two("dy")}T${two("hr")}:${two("min")}`;
}

/** Returns the day of a time that Word packs into one number: minute, hour, day, month and year since 1900. */
function packedDay(packed: number): string {
  if (!(packed > 0)) return "";
  const two = (value: number) => String(value).padStart(2, "0");
  return `${1900 + ((packed >> 20) & 0x1ff)}-${two((packed >> 16) & 15)}-${two((packed >> 11) & 31)}`;
}
