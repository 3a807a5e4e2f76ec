import { charsetOfFont, charsetOfPage } from "./characters.ts";
import { plainParagraph } from "./sheet.ts";
import type { Group, Story } from "./story.ts";

/** Words that end something or change how what follows is meant; `value` is the number behind them. */
export const settings: ReadonlyMap<string, (story: Story, value: number | undefined) => void> = new Map<
  string,
  (story: Story, value: number | undefined) => void
>([
  ["par", (story) => onSheet(story, ({ sheet, paragraph }) => sheet.endParagraph(paragraph))],
  ["sect", (story) => onSheet(story, ({ sheet, paragraph }) => sheet.endParagraph(paragraph))],
  ["cell", (story) => onSheet(story, ({ sheet, paragraph }) => sheet.endCell(paragraph))],
  ["row", (story) => onSheet(story, ({ sheet }) => sheet.endRow())],
  ["trowd", (story) => onSheet(story, ({ sheet }) => sheet.defineRow())],
  ["cellx", (story, value) => onSheet(story, ({ sheet }) => sheet.defineCell(value ?? 0))],
  ["nestcell", (story) => onSheet(story, ({ sheet, paragraph }) => sheet.endInnerCell(paragraph))],
  ["nestrow", ({ group }) => group.sheet.endInnerRow()],
  ["ftnalt", ({ group }) => group.moveToEnd?.()],
  ["pard", (story) => change(story, { paragraph: plainParagraph })],
  ["plain", (story) => change(story, { isDeleted: false })],
  ["intbl", (story) => changeParagraph(story, { isInTable: true })],
  [
    "itap",
    (story, value = 1) => changeParagraph(story, { isInTable: value > 0, nesting: Math.max(value, 1) }),
  ],
  ["ilvl", (story, value = 0) => changeParagraph(story, { level: Math.min(Math.max(value, 0), 8) })],
  ["s", setStyle],
  ["outlinelevel", setOutline],
  [
    "sbasedon",
    ({ group, styles, declared }, value) => {
      const style = group.destination === "styles" ? styles.get(declared) : undefined;
      if (style) style.basedOn = value;
    },
  ],
  ["f", setFont],
  [
    "fcharset",
    ({ fonts, declared }, value = 0) => {
      const font = fonts.get(declared);
      if (font) font.charset = charsetOfFont(value);
    },
  ],
  [
    "cpg",
    ({ fonts, declared }, value = 1252) => {
      const font = fonts.get(declared);
      if (font) font.charset = charsetOfPage(value);
    },
  ],
  [
    "ansicpg",
    (story, value = 1252) => {
      story.charset = charsetOfPage(value);
    },
  ],
  [
    "mac",
    (story) => {
      story.charset = charsetOfPage(10_000);
    },
  ],
  ["uc", (story, value = 1) => change(story, { fallbacks: Math.min(Math.max(value, 0), 100) })],
  [
    "deleted",
    (story, value = 1) => {
      if (value !== 0) story.tally.changes += 1;
      change(story, { isDeleted: value !== 0 });
    },
  ],
  [
    "revised",
    ({ tally }, value = 1) => {
      if (value !== 0) tally.changes += 1;
    },
  ],
  [
    "v",
    ({ tally }, value = 1) => {
      if (value !== 0) tally.hidden += 1;
    },
  ],
  ...["yr", "mo", "dy", "hr", "min"].map((unit) => [unit, setTime(unit)] as const),
]);

function change(story: Story, changed: Partial<Group>): void {
  story.group = { ...story.group, ...changed };
}

function changeParagraph(story: Story, changed: Partial<Group["paragraph"]>): void {
  change(story, { paragraph: { ...story.group.paragraph, ...changed } });
}

function onSheet({ group }: Story, act: (group: Group) => void): void {
  if (group.destination === "sheet") act(group);
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

function setTime(unit: string): (story: Story, value: number | undefined) => void {
  return ({ time }, value = 0) => {
    time.set(unit, value);
  };
}
