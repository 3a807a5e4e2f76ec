import { asBuffer } from "../../../lib/bytes/bytes.ts";
import { type DocumentReader, damaged } from "../../reader.ts";
import { append, type Block, notesOnTally } from "../../shared/blocks.ts";
import { showSections } from "../../shared/sections.ts";
import { symbol } from "../../shared/symbols.ts";
import { characters, decodeBytes, symbolCharset } from "./characters.ts";
import { beginDestination, information, silent } from "./destinations.ts";
import { applySetting } from "./settings.ts";
import { plainParagraph } from "./sheet.ts";
import { beginStory, type Story } from "./story.ts";
import { type Token, tokensOf } from "./tokens.ts";

export const readRtf: DocumentReader = async (source, wanted, { budget }) => {
  const text = asBuffer(source.bytes).toString("latin1");
  const start = text.indexOf("{\\rtf");
  if (start === -1 || start > 100) throw damaged(source.name, "it does not begin as RTF");
  const story = beginStory(budget);
  for (const token of tokensOf(start === 0 ? text : text.slice(start))) if (!takeToken(story, token)) break;
  const isWhole = story.groups.length === 0;
  while (story.groups.length > 0) endGroup(story);
  const blocks: Block[] = [];
  append(blocks, story.sheet.end(plainParagraph));
  for (const [said, margin] of story.margins) blocks.push({ kind: "paragraph", text: `${margin}: ${said}` });
  return {
    format: "rtf",
    description: "RTF document",
    properties: propertiesOf(story),
    ...(await showSections(blocks, source, wanted)),
    notes: [
      ...(isWhole ? [] : ["breaks off in the middle: what is missing cannot be known"]),
      ...notesOnTally(story.tally),
    ],
  };
};

function propertiesOf({ properties }: Story): Readonly<Record<string, string>> {
  const names = [...information.values(), "software"];
  return Object.fromEntries(
    names.flatMap((name) => (properties.has(name) ? [[name, properties.get(name)!]] : [])),
  );
}

/** Goes on with the story. False when it has ended. */
function takeToken(story: Story, token: Token): boolean {
  switch (token.kind) {
    case "open":
      flush(story);
      story.leftOut = 0;
      story.groups.push(story.group);
      story.budget.descend(story.groups.length);
      story.group = { ...story.group, atEnd: undefined };
      return true;
    case "close":
      endGroup(story);
      return story.groups.length > 0;
    case "text": {
      const from = Math.min(story.leftOut, token.text.length);
      story.leftOut -= from;
      story.bytes += token.text.slice(from);
      return true;
    }
    case "byte":
      if (story.leftOut > 0) story.leftOut -= 1;
      else story.bytes += String.fromCharCode(token.byte);
      return true;
    case "control":
      flush(story);
      takeControl(story, token.word, token.value);
      return true;
  }
}

function endGroup(story: Story): void {
  flush(story);
  story.leftOut = 0;
  story.isStarred = false;
  story.group.atEnd?.();
  story.group = story.groups.pop() ?? story.group;
}

function takeControl(story: Story, word: string, value: number | undefined): void {
  if (word === "*") {
    story.isStarred = true;
    return;
  }
  const { isStarred } = story;
  story.isStarred = false;
  if (word === "u") {
    takeUnicode(story, value ?? 0);
    return;
  }
  // A word counts as one of the characters that repeat a `\u`.
  if (story.leftOut > 0) {
    story.leftOut -= 1;
    return;
  }
  if (beginDestination(story, word)) return;
  const character = characters.get(word);
  if (isStarred || silent.has(word))
    story.group = { ...story.group, destination: "nowhere", before: story.group.destination };
  else if (character !== undefined) write(story, character);
  else applySetting(story, word, value);
}

function takeUnicode(story: Story, value: number): void {
  const code = value < 0 ? value + 0x10000 : value;
  const font = story.fonts.get(story.group.font ?? -1);
  const shown = code >= 0xf000 && code <= 0xf0ff ? symbol(font?.name ?? "", code) : undefined;
  write(story, shown ?? String.fromCharCode(code));
  story.leftOut = story.group.fallbacks;
}

function flush(story: Story): void {
  const { bytes } = story;
  if (bytes === "") return;
  story.bytes = "";
  const font = story.fonts.get(story.group.font ?? -1);
  if (font?.charset === symbolCharset && story.group.destination !== "fonts")
    write(story, Array.from(bytes, (byte) => symbol(font.name, byte.charCodeAt(0)) ?? byte).join(""));
  else write(story, decodeBytes(bytes, font?.charset ?? story.charset));
}

function write(story: Story, text: string): void {
  const { destination, sheet, noted, isDeleted } = story.group;
  switch (destination) {
    case "sheet":
      if (!isDeleted) sheet.line += text;
      break;
    case "noted":
      noted.text += text;
      break;
    case "fonts":
    case "styles": {
      const declared = destination === "fonts" ? story.fonts : story.styles;
      const one = declared.get(story.declared);
      if (one && one.name.length < 100) one.name += text.replace(/;.*/s, "").trim();
      break;
    }
    case "nowhere":
  }
}
