import { isRecord } from "../../lib/json/is-record.ts";
import { cleanLine, withoutControls } from "./clean-text.ts";
import { linkUri } from "./offers/offer-names.ts";

/** A result as the server returned it, without the bytes of images. */
export class HubData {
  readonly content: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly server: string;

  constructor(content: readonly unknown[], structuredContent: unknown, server: string) {
    this.content = content;
    this.server = server;
    if (structuredContent !== undefined) this.structuredContent = structuredContent;
  }
}

/** The parts of another server's result that an MCP client gets in addition to the text and the images. */
export interface PassedOn {
  readonly structuredContent?: Record<string, unknown>;
  readonly links: readonly ResourceLink[];
}

export interface ResourceLink {
  readonly type: "resource_link";
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
}

/**
 * Returns structured content and resource links, without characters that control terminals. Structured content that is
 * longer than the text may be is left out, because clients show it instead of the text. Links get the addresses under
 * which clients can read them.
 */
export function passOn({ content, structuredContent, server }: HubData): PassedOn {
  const links = content
    .flatMap(toLink)
    .slice(0, maxLinks)
    .flatMap((link) => {
      const uri = linkUri(server, link.uri);
      return uri === undefined ? [] : [{ ...link, uri }];
    });
  if (!isRecord(structuredContent) || JSON.stringify(structuredContent).length > maxStructuredChars)
    return { links };
  return { links, structuredContent: printableData(structuredContent) as Record<string, unknown> };
}

const maxLinks = 100;
const maxStructuredChars = 30_000;

export function toLink(block: unknown): readonly ResourceLink[] {
  if (!isRecord(block) || block.type !== "resource_link") return [];
  const uri = cleanLine(block.uri, 2_000);
  if (uri === "") return [];
  const { size } = block;
  const texts = [
    ["title", 200],
    ["description", 500],
    ["mimeType", 80],
  ] as const;
  return [
    {
      type: "resource_link",
      uri,
      name: cleanLine(block.name, 200) || uri,
      ...Object.fromEntries(
        texts.map(([key, max]) => [key, cleanLine(block[key], max)]).filter(([, text]) => text !== ""),
      ),
      ...(typeof size === "number" && Number.isSafeInteger(size) && size >= 0 && { size }),
    },
  ];
}

function printableData(value: unknown): unknown {
  if (typeof value === "string") return withoutControls(value);
  if (Array.isArray(value)) return value.map(printableData);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [withoutControls(key), printableData(part)]),
  );
}
