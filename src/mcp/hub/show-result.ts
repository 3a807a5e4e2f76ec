import type { ToolImage, ToolOutput } from "../../contract/tool.ts";
import { imageProblem } from "../../lib/bytes/check-image.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { prettyJson } from "../../lib/json/pretty-json.ts";
import { showSize } from "../../lib/text/format-quantity.ts";
import { cleanLine, withoutControls } from "./clean-text.ts";
import { HubData } from "./hub-data.ts";

/** The result of another server's tool, not validated. */
export interface GivenResult {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
}

/** Shows text and images of a server, and describes other content. Shows structured data only when there is no text. */
export function showResult(given: GivenResult, server: string): ToolOutput<HubData> {
  const { isError } = given;
  const blocks = Array.isArray(given.content) ? given.content.map(shallow) : [];
  const structuredContent = shallow(given.structuredContent);
  const shown = blocks.map(showBlock);
  const content = withoutControls(shown.flatMap(({ text }) => (text === "" ? [] : [text])).join("\n"));
  const images = fitting(shown.flatMap(({ image }) => (image === undefined ? [] : [image])));
  const data =
    typeof structuredContent === "string"
      ? structuredContent
      : prettyJson(JSON.stringify(structuredContent) ?? "");
  return {
    data: new HubData(
      blocks.map((block, index) => (shown[index]?.image ? withoutData(block) : block)),
      structuredContent,
      server,
    ),
    text: content || withoutControls(data ?? "(no content)"),
    images: images.length > 0 ? images : undefined,
    isError: isError === true || undefined,
  };
}

interface Shown {
  readonly text: string;
  readonly image?: ToolImage;
}

function showBlock(block: unknown): Shown {
  if (!isRecord(block)) return { text: "[content without a type]" };
  switch (block.type) {
    case "text":
      return { text: typeof block.text === "string" ? block.text : "" };
    case "image":
      return showImage(block);
    case "audio":
      return { text: `[audio, ${kindOf(block)}: not shown]` };
    case "resource":
      return { text: showResource(block.resource) };
    case "resource_link":
      return { text: showLink(block) };
    default:
      return { text: `[content of the unknown type ${cleanLine(String(block.type), 40)}]` };
  }
}

/** Providers refuse every further request of a conversation that contains a damaged image, so images are checked. */
function showImage(block: Record<string, unknown>): Shown {
  const { data, mimeType } = block;
  const kind = `image, ${kindOf(block)}`;
  if (typeof mimeType !== "string" || typeof data !== "string" || !isImage(data, mimeType))
    return { text: `[${kind}: not shown]` };
  return { text: `[${kind}]`, image: { mediaType: mimeType, base64: data } };
}

function isImage(data: string, mimeType: string): boolean {
  if (data.length > maxImageChars || data.length % 4 > 0 || !base64.test(data)) return false;
  return imageProblem({ mediaType: mimeType, base64: data }) === undefined;
}

function fitting(images: readonly ToolImage[]): readonly ToolImage[] {
  let chars = 0;
  return images.slice(0, maxImages).filter((image) => {
    chars += image.base64.length;
    return chars <= maxImageChars;
  });
}

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
// The limit for all images of one result.
const maxImageChars = 10_000_000;
const maxImages = 20;

function withoutData(block: unknown): unknown {
  const { data: _, ...rest } = block as Record<string, unknown>;
  return rest;
}

function showResource(resource: unknown): string {
  if (!isRecord(resource)) return "[resource without content]";
  const name = `resource ${cleanLine(resource.uri, 500)}`;
  if (typeof resource.text === "string") return `[${name}]\n${resource.text}`;
  return `[${name}, ${kindOf({ ...resource, data: resource.blob })}: not shown]`;
}

function showLink({ uri, name, description }: Record<string, unknown>): string {
  const title = [cleanLine(name, 200), cleanLine(description, 500)].filter((part) => part !== "").join(": ");
  return `[resource ${cleanLine(uri, 500)}${title === "" ? "" : `, ${title}`}]`;
}

function kindOf({ mimeType, data }: Record<string, unknown>): string {
  const type = cleanLine(mimeType, 80) || "unknown type";
  return typeof data === "string" ? `${type}, ${showSize(Math.floor((data.length * 3) / 4))}` : type;
}

/** Walking deeply nested data would overflow the stack. */
function shallow(value: unknown): unknown {
  return isDeep(value) ? "[data not shown: nested too deeply]" : value;
}

function isDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth < maxDepth; depth += 1) {
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}

const maxDepth = 200;
