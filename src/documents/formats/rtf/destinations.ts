import { append, type Block, cellText, link, picture } from "../../shared/blocks.ts";
import { plainParagraph, Sheet } from "./sheet.ts";
import { type Group, headingOf, type Story } from "./story.ts";

/** Begins what a word announces. False where the word announces nothing. */
export function beginDestination(story: Story, word: string): boolean {
  const { group } = story;
  const begin = destinations.get(word);
  if (begin) begin(story);
  else if (group.isInformation && information.has(word)) beginInformation(story, word);
  else if (group.picture && (word === "sn" || word === "sv")) beginPictureProperty(story, word);
  else return transparent.has(word);
  return true;
}

const destinations: ReadonlyMap<string, (story: Story) => void> = new Map<string, (story: Story) => void>([
  ...["header", "headerl", "headerr", "headerf"].map((word) => [word, beginMargin("Page header")] as const),
  ...["footer", "footerl", "footerr", "footerf"].map((word) => [word, beginMargin("Page footer")] as const),
  ["footnote", beginFootnote],
  ["annotation", beginComment],
  ["shptxt", beginBox],
  ["listtext", beginMarker],
  ["pntext", beginMarker],
  ["field", (story) => direct(story, { field: { code: "" } })],
  ["fldinst", beginFieldCode],
  ["fldrslt", beginFieldResult],
  ["atnauthor", (story) => take(story, (text) => Object.assign(story, { commenter: text }))],
  ["atndate", (story) => take(story, (text) => Object.assign(story, { commented: packedDay(Number(text)) }))],
  ["pict", beginPicture],
  ["info", (story) => direct(story, { destination: "nowhere", isInformation: true })],
  ["generator", (story) => take(story, (text) => story.properties.set("software", text.replace(/;$/, "")))],
  ["fonttbl", (story) => direct(story, { destination: "fonts" })],
  ["stylesheet", (story) => direct(story, { destination: "styles" })],
  // What is said once more in Unicode.
  ["upr", (story) => direct(story, { destination: "nowhere", before: story.group.destination })],
  ["ud", (story) => direct(story, { destination: story.group.before })],
]);

/** Words behind `\*` whose text is text, or that hold something that is. */
const transparent: ReadonlySet<string> = new Set("shpinst shppict picprop sp nesttableprops cs".split(" "));

/** What is no text, or says it again, also without `\*` before it. */
export const silent: ReadonlySet<string> = new Set([
  ...[
    "colortbl",
    "filetbl",
    "nonshppict",
    "shprslt",
    "nonesttables",
    "objdata",
    "template",
    "private",
    "do",
    "sn",
    "sv",
  ],
  ...["xe", "tc", "tcn", "rxe", "ftnsep", "ftnsepc", "ftncn", "aftnsep", "aftnsepc", "aftncn"],
]);

/** Parts of what a file says of itself, in the order worth telling. */
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

function direct(story: Story, changed: Partial<Group>): void {
  story.group = { ...story.group, ...changed };
}

/** What the group says is kept from the text and told at its end. */
function take(story: Story, tell: (text: string) => void): void {
  const noted = { text: "" };
  direct(story, { destination: "noted", noted, atEnd: () => tell(noted.text.trim()) });
}

/** What the group says stands on a sheet of its own. */
function beginSheet(story: Story, tell: (blocks: readonly Block[]) => void): void {
  const sheet = new Sheet(story.budget, (paragraph) => headingOf(paragraph, story.styles));
  direct(story, {
    destination: "sheet",
    sheet,
    paragraph: plainParagraph,
    atEnd: () => tell(sheet.end(story.group.paragraph)),
  });
}

function beginMargin(where: string): (story: Story) => void {
  return (story) =>
    beginSheet(story, (blocks) => {
      const text = cellText(blocks).trim();
      if (text !== "" && !story.margins.has(text)) story.margins.set(text, where);
    });
}

function beginFootnote(story: Story): void {
  const { sheet } = story.group;
  let kind = "footnote";
  beginSheet(story, (blocks) => cite(story, sheet, kind, cellText(blocks).trim()));
  direct(story, {
    moveToEnd: () => {
      kind = "endnote";
    },
  });
}

function beginComment(story: Story): void {
  const { sheet } = story.group;
  const { commenter, commented } = story;
  beginSheet(story, (blocks) => {
    const day = story.commented || commented;
    const by = `comment by ${commenter || "an unnamed person"}${day === "" ? "" : ` (${day})`}: `;
    cite(story, sheet, "comment", by + cellText(blocks).trim());
    Object.assign(story, { commenter: "", commented: "" });
  });
}

function cite(story: Story, sheet: Sheet, kind: string, text: string): void {
  const count = (story.cited.get(kind) ?? 0) + 1;
  story.cited.set(kind, count);
  const label = kind === "footnote" ? `${count}` : `${kind}-${count}`;
  sheet.line += `[^${label}]`;
  sheet.cited.push({ kind: "note", label, text });
}

function beginBox(story: Story): void {
  const { boxes } = story.group.sheet;
  beginSheet(story, (blocks) => append(boxes, blocks));
}

function beginMarker(story: Story): void {
  const { sheet } = story.group;
  take(story, (text) => {
    sheet.marker = text;
  });
}

function beginFieldCode(story: Story): void {
  const { field } = story.group;
  take(story, (text) => {
    if (field) field.code += text;
  });
}

function beginFieldResult(story: Story): void {
  const { field, sheet, destination } = story.group;
  const start = sheet.line.length;
  const ended = sheet.ended;
  direct(story, {
    field: undefined,
    atEnd: () => {
      const target = /^HYPERLINK\s+"([^"]*)"/i.exec(field?.code ?? "")?.[1];
      // A paragraph that ended meanwhile is written already.
      if (destination !== "sheet" || target === undefined || sheet.ended !== ended || start > longestLinked)
        return;
      sheet.line = sheet.line.slice(0, start) + link(sheet.line.slice(start), target);
    },
  });
}

/** Longer paragraphs are hostile: copying them for each link would take quadratic time. */
const longestLinked = 50_000;

function beginPicture(story: Story): void {
  const { destination, sheet } = story.group;
  const described = { property: "", description: "" };
  if (destination !== "sheet") {
    direct(story, { destination: "nowhere" });
    return;
  }
  story.tally.pictures += 1;
  direct(story, {
    destination: "nowhere",
    picture: described,
    atEnd: () => {
      sheet.line += picture(described.description);
    },
  });
}

function beginPictureProperty(story: Story, word: string): void {
  const { picture: described } = story.group;
  take(story, (text) => {
    if (!described) return;
    if (word === "sn") described.property = text;
    else if (described.property === "wzDescription") described.description = text;
  });
}

function beginInformation(story: Story, word: string): void {
  const name = information.get(word)!;
  story.time.clear();
  take(story, (text) => {
    const value = word.endsWith("tim") ? timeOf(story.time) : text;
    // LibreOffice says who wrote last as a second author.
    if (value !== "" && !story.properties.has(name)) story.properties.set(name, value.slice(0, 500));
  });
}

function timeOf(time: ReadonlyMap<string, number>): string {
  const two = (unit: string) => String(time.get(unit) ?? 0).padStart(2, "0");
  const year = time.get("yr") ?? 0;
  return year === 0 ? "" : `${year}-${two("mo")}-${two("dy")}T${two("hr")}:${two("min")}`;
}

/** Word packs minute, hour, day, month and year, from 1900 on, into one number. */
function packedDay(packed: number): string {
  if (!(packed > 0)) return "";
  const two = (value: number) => String(value).padStart(2, "0");
  return `${1900 + ((packed >> 20) & 0x1ff)}-${two((packed >> 16) & 15)}-${two((packed >> 11) & 31)}`;
}
