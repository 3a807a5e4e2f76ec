import { styleText } from "node:util";
import type { EditorTheme, MarkdownTheme, SelectListTheme } from "@earendil-works/pi-tui";
import { highlightCode } from "./highlight-code.ts";

type Paint = (text: string) => string;

/** Paints text, where NO_COLOR, FORCE_COLOR and the terminal agree. */
function painter(format: Parameters<typeof styleText>[0]): Paint {
  return (text) => (text === "" ? "" : styleText(format, text, { stream: process.stdout }));
}

export const tones = {
  bold: painter("bold"),
  dim: painter("dim"),
  italic: painter("italic"),
  underline: painter("underline"),
  strikethrough: painter("strikethrough"),
  red: painter("red"),
  green: painter("green"),
  yellow: painter("yellow"),
  blue: painter("blue"),
  cyan: painter("cyan"),
  magenta: painter("magenta"),
} as const;

export const markdownTheme: MarkdownTheme = {
  heading: tones.cyan,
  link: tones.blue,
  linkUrl: tones.dim,
  code: tones.cyan,
  codeBlock: (text) => text,
  codeBlockBorder: tones.dim,
  quote: tones.italic,
  quoteBorder: tones.dim,
  hr: tones.dim,
  listBullet: tones.cyan,
  bold: tones.bold,
  italic: tones.italic,
  strikethrough: tones.strikethrough,
  underline: tones.underline,
  highlightCode: (code, language) => highlightCode(code, language, tones),
};

export const listTheme: SelectListTheme = {
  selectedPrefix: tones.cyan,
  selectedText: tones.cyan,
  description: tones.dim,
  scrollInfo: tones.dim,
  noMatch: tones.dim,
};

export const editorTheme: EditorTheme = { borderColor: tones.dim, selectList: listTheme };
