import type { ToolImage } from "../../../contract/tool.ts";
import { imageSize } from "../../../lib/bytes/image-size.ts";
import { sniffMediaType } from "../../../lib/bytes/media-type.ts";
import { showSize } from "../../../lib/text/format-quantity.ts";
import { plainTerminalText } from "../../../lib/text/terminal-text.ts";
import { characterStart } from "../../../lib/text/truncate.ts";
import { htmlToMarkdown } from "../html/html-to-markdown.ts";
import { type Cell, type Members, membersOf, type Notebook, type Output, textOf } from "./notebook.ts";

export interface ShownCell {
  /** The kind, execution count and id: "code [3], id 8f2a". */
  readonly title: string;
  readonly text: string;
  readonly images: readonly ToolImage[];
  readonly isShortened: boolean;
}

/** Shows a cell as Markdown: its source, then its outputs. */
export function showCell(
  cell: Cell,
  { language, maxOutput }: { readonly language: Notebook["language"]; readonly maxOutput: number },
): ShownCell {
  const isCode = cell.kind === "code";
  const count = cell.executionCount === undefined ? "" : ` [${cell.executionCount}]`;
  const outputs = cell.outputs.map((output) => showOutput(output, maxOutput));
  const attached = Object.entries(cell.attachments).map(([name, formats]) =>
    showPicture(membersOf(formats), `attachment ${name}`),
  );
  const source = cell.kind === "markdown" ? cell.source : fenced(cell.source, isCode ? language : "");
  const parts = [source, ...outputs.map(({ text }) => text), ...attached.map(({ text }) => text)];
  return {
    title: `${cell.kind}${count}${cell.id === undefined ? "" : `, id ${cell.id}`}`,
    text: parts.filter((part) => part !== "").join("\n\n"),
    images: [...outputs.flatMap(({ images }) => images), ...attached.flatMap(({ images }) => images)],
    isShortened: outputs.some(({ isShortened }) => isShortened),
  };
}

interface ShownOutput {
  readonly text: string;
  readonly images: readonly ToolImage[];
  readonly isShortened: boolean;
}

function showOutput(output: Output, maxChars: number): ShownOutput {
  switch (output.kind) {
    case "stream":
      return block(`Output (${output.name}):`, plainTerminalText(output.text), maxChars);
    case "error": {
      const message = plainTerminalText(output.traceback) || `${output.name}: ${output.value}`;
      return block("Error:", message, maxChars);
    }
    case "data": {
      const head = output.count === undefined ? "Output:" : `Output [${output.count}]:`;
      const { text, isMarkdown, images } = showData(output.data);
      if (!isMarkdown) return block(head, text, maxChars);
      const { text: shown, isShortened } = shorten(text, maxChars);
      return { text: `${head}\n\n${shown}`, images, isShortened };
    }
  }
}

function block(head: string, text: string, maxChars: number): ShownOutput {
  const { text: shown, isShortened } = shorten(text.replace(/\n$/, ""), maxChars);
  return { text: `${head}\n${fenced(shown, "")}`, images: [], isShortened };
}

interface ShownData {
  readonly text: string;
  /** Whether the text is Markdown. Other text is shown in a fence. */
  readonly isMarkdown: boolean;
  readonly images: readonly ToolImage[];
}

/** Shows the most informative of several formats. */
function showData(data: Members): ShownData {
  const picture = showPixels(data, "picture");
  if (picture) return picture;
  const [markdown, html, plain, latex] = ["text/markdown", "text/html", "text/plain", "text/latex"].map(
    (type) => textOf(data[type]),
  ) as [string, string, string, string];
  if (markdown !== "") return asMarkdown(markdown);
  // HTML is better for tables, and when the plain text is only `<object>`.
  if (html !== "" && (plain === "" || /^<.*>$/s.test(plain.trim()) || /<table\b/i.test(html))) {
    const page = htmlToMarkdown(html, { whole: true }).markdown;
    if (page !== "") return asMarkdown(page);
  }
  if (plain !== "") return { text: plainTerminalText(plain), isMarkdown: false, images: [] };
  if (latex !== "") return asMarkdown(latex);
  const json = Object.entries(data).find(([type]) => /^application\/(?:.*\+)?json$/.test(type));
  if (json && !json[0].includes("widget-view"))
    return { text: JSON.stringify(json[1], undefined, 2) ?? "", isMarkdown: false, images: [] };
  const drawing = showPicture(data, "picture");
  return drawing.text === "" ? asMarkdown(namesOf(data)) : drawing;
}

function showPicture(data: Members, what: string): ShownData {
  const svg = textOf(data["image/svg+xml"]);
  return (
    showPixels(data, what) ??
    asMarkdown(svg === "" ? "" : `[${what}: image/svg+xml, ${showSize(svg.length)}]`)
  );
}

function showPixels(data: Members, what: string): ShownData | undefined {
  for (const mediaType of ["image/png", "image/jpeg", "image/webp", "image/gif"]) {
    const base64 = textOf(data[mediaType]).replace(/\s+/g, "");
    if (base64 === "") continue;
    const bytes = Buffer.from(base64, "base64");
    const size = imageSize(bytes);
    const isPicture = size !== undefined && sniffMediaType(bytes)?.mediaType === mediaType;
    const pixels = isPicture ? `${size.width}×${size.height}` : "damaged";
    return {
      text: `[${what}: ${mediaType}, ${pixels}, ${showSize(bytes.length)}]`,
      isMarkdown: true,
      // Providers reject a whole request that contains a broken picture.
      images: isPicture ? [{ mediaType, base64: bytes.toString("base64") }] : [],
    };
  }
  return undefined;
}

function asMarkdown(text: string): ShownData {
  return { text, isMarkdown: true, images: [] };
}

function namesOf(data: Members): string {
  const types = Object.keys(data).slice(0, 10);
  return types.length === 0 ? "[nothing]" : `[${types.join(", ")}: not shown]`;
}

/** Puts text in a fence that is longer than any fence in it. */
function fenced(text: string, language: string): string {
  if (text === "") return "";
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

/** Keeps the beginning and the end of a text that is too long. */
function shorten(text: string, maxChars: number): { readonly text: string; readonly isShortened: boolean } {
  if (text.length <= maxChars) return { text, isShortened: false };
  const head = characterStart(text, Math.ceil(maxChars * 0.75));
  const tail = characterStart(text, text.length - Math.floor(maxChars * 0.25));
  return {
    text: `${text.slice(0, head)}\n… ${tail - head} characters left out …\n${text.slice(tail)}`,
    isShortened: true,
  };
}
