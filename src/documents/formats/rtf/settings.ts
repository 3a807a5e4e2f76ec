import { charsetOfFont, charsetOfPage } from "./characters.ts";
import { plainParagraph } from "./sheet.ts";
import type { Group, Story } from "./story.ts";

/** Applies a word that ends something or changes how what follows is meant; `value` is the number behind it. */
export function applySetting(story: Story, word: string, value: number | undefined): void {
  const { group, tally } = story;
  const isOn = value !== 0;
  if (group.destination === "sheet") endOnSheet(group, word, value);
  if (word === "nestrow") group.sheet.endInnerRow();
  else if (word === "ftnalt") group.moveToEnd?.();
  else if (word === "pard") change(story, { paragraph: plainParagraph });
  else if (word === "plain") change(story, { isDeleted: false });
  else if (word === "intbl") changeParagraph(story, { isInTable: true });
  else if (word === "itap")
    changeParagraph(story, { isInTable: (value ?? 1) > 0, nesting: Math.max(value ?? 1, 1) });
  else if (word === "ilvl") changeParagraph(story, { level: Math.min(Math.max(value ?? 0, 0), 8) });
  else if (word === "uc") change(story, { fallbacks: Math.min(Math.max(value ?? 1, 0), 100) });
  else if (word === "deleted") change(story, { isDeleted: isOn });
  else if (/^(?:yr|mo|dy|hr|min)$/.test(word)) story.time.set(word, value ?? 0);
  else declare(story, word, value);
  if (isOn && (word === "deleted" || word === "revised")) tally.changes += 1;
  if (isOn && word === "v") tally.hidden += 1;
}

function endOnSheet({ sheet, paragraph }: Group, word: string, value: number | undefined): void {
  if (word === "par" || word === "sect") sheet.endParagraph(paragraph);
  else if (word === "cell") sheet.endCell(paragraph);
  else if (word === "row") sheet.endRow();
  else if (word === "trowd") sheet.defineRow();
  else if (word === "cellx") sheet.defineCell(value ?? 0);
  else if (word === "nestcell") sheet.endInnerCell(paragraph);
}

/** Fonts, styles and character sets: those that are declared, and those in use. */
function declare(story: Story, word: string, value: number | undefined): void {
  const { fonts, styles, declared } = story;
  const font = fonts.get(declared);
  const style = story.group.destination === "styles" ? styles.get(declared) : undefined;
  if (word === "s") setStyle(story, value);
  else if (word === "outlinelevel") setOutline(story, value);
  else if (word === "f") setFont(story, value);
  else if (word === "sbasedon" && style) style.basedOn = value;
  else if (word === "fcharset" && font) font.charset = charsetOfFont(value ?? 0);
  else if (word === "cpg" && font) font.charset = charsetOfPage(value ?? 1252);
  else if (word === "ansicpg") story.charset = charsetOfPage(value ?? 1252);
  else if (word === "mac") story.charset = charsetOfPage(10_000);
}

function change(story: Story, changed: Partial<Group>): void {
  story.group = { ...story.group, ...changed };
}

function changeParagraph(story: Story, changed: Partial<Group["paragraph"]>): void {
  change(story, { paragraph: { ...story.group.paragraph, ...changed } });
}

function setStyle(story: Story, value = 0): void {
  if (story.group.destination !== "styles") {
    changeParagraph(story, { style: value });
    return;
  }
  story.declared = value;
  story.styles.set(value, { name: "", outline: undefined, basedOn: undefined });
}

function setOutline(story: Story, value = 9): void {
  const style = story.styles.get(story.declared);
  if (story.group.destination !== "styles") changeParagraph(story, { outline: value });
  else if (style) style.outline = value;
}

function setFont(story: Story, value = 0): void {
  if (story.group.destination === "fonts") {
    story.declared = value;
    story.fonts.set(value, { name: "", charset: undefined });
  } else change(story, { font: value });
}
