import type { Image } from "../../../contract/tool.ts";
import { imageSize } from "../../../lib/image-size.ts";
import { sniffMediaType } from "../../../lib/media-type.ts";
import { showSize } from "../../../lib/show-size.ts";
import { plainTerminalText } from "../../../lib/terminal-text.ts";
import { htmlToMarkdown } from "../html/html-to-markdown.ts";
import { type Members, textOf } from "./members.ts";

export interface ShownData {
  readonly text: string;
  /** Else it is plain text. */
  readonly isMarkdown: boolean;
  readonly images: readonly Image[];
}

/** One thing that is there in several formats, in the one that says most. */
export function showData(data: Members): ShownData {
  const picture = showPixels(data, "picture");
  if (picture) return picture;
  const [markdown, html, plain, latex] = ["text/markdown", "text/html", "text/plain", "text/latex"].map(
    (type) => textOf(data[type]),
  ) as [string, string, string, string];
  if (markdown !== "") return asMarkdown(markdown);
  // Where text stands for the object only, or a table lost its lines, the page says more.
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

/** A picture, if there is one that models can see; else its name. */
export function showPicture(data: Members, what: string): ShownData {
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
      // Who shows models what is no picture has all of the request refused.
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
