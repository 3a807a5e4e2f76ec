import { isRecord } from "../../../lib/json/is-record.ts";
import { cleanLine, withoutControls } from "../clean-text.ts";
import { type ResourceLink, toLink } from "../hub-data.ts";
import { isOwnUri } from "./offer-names.ts";

/** A part of a resource. Its address is the server's own. */
type ResourceContents = {
  readonly uri: string;
  readonly mimeType?: string;
} & ({ readonly text: string } | { readonly blob: string });

export interface ReadResource {
  readonly contents: readonly ResourceContents[];
}

export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content:
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
    | { readonly type: "resource"; readonly resource: ResourceContents }
    | ResourceLink;
}

export interface PromptText {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
}

/** Returns the valid parts of a resource as its server gave it, up to the limits. */
export function readContents(given: unknown, uri: string): ReadResource {
  const space = new Space();
  const all = isRecord(given) && Array.isArray(given.contents) ? given.contents : [];
  const contents = all.slice(0, maxParts).flatMap((part) => toContents(part, uri, space) ?? []);
  const left = all.length - contents.length;
  if (left === 0) return { contents };
  return {
    contents: [
      ...contents,
      { uri, mimeType: "text/plain", text: `[${left} invalid or too large: not shown]` },
    ],
  };
}

/** Returns the valid messages of a prompt as its server gave it, up to the limits. */
export function readMessages(given: unknown): PromptText {
  const space = new Space();
  const { description, messages } = isRecord(given) ? given : {};
  const about = cleanLine(description, 500);
  const read = (Array.isArray(messages) ? messages : []).slice(0, maxParts).map((message): PromptMessage => {
    const { role, content } = isRecord(message) ? message : {};
    const read = toContent(content, space) ?? { type: "text", text: "[invalid or too large: not shown]" };
    return { role: role === "assistant" ? "assistant" : "user", content: read };
  });
  return { ...(about && { description: about }), messages: read };
}

const maxParts = 100;
const maxTextChars = 400_000;
const maxDataChars = 10_000_000;

/** The space that is left for the parts of one result. */
class Space {
  #text = maxTextChars;
  #data = maxDataChars;

  /** Returns the beginning of a text that fits. */
  text(given: string): string {
    const text = withoutControls(given.length <= this.#text ? given : cut(given, this.#text));
    this.#text = Math.max(0, this.#text - text.length);
    return text;
  }

  hasFor(data: string): boolean {
    if (data.length > this.#data) return false;
    this.#data -= data.length;
    return true;
  }
}

function cut(text: string, maxChars: number): string {
  return `${text.slice(0, maxChars)}\n[${text.length - maxChars} more characters: not shown]`;
}

function toContents(part: unknown, uri: string, space: Space): ResourceContents | undefined {
  if (!isRecord(part)) return undefined;
  const kind = cleanLine(part.mimeType, 80);
  const known = { uri: isOwnUri(part.uri) ? part.uri : uri, ...(kind && { mimeType: kind }) };
  if (typeof part.text === "string") return { ...known, text: space.text(part.text) };
  return isData(part.blob, space) ? { ...known, blob: part.blob } : undefined;
}

function toContent(given: unknown, space: Space): PromptMessage["content"] | undefined {
  if (!isRecord(given)) return undefined;
  const { type, data } = given;
  if (type === "text" && typeof given.text === "string") return { type, text: space.text(given.text) };
  const mimeType = cleanLine(given.mimeType, 80);
  if ((type === "image" || type === "audio") && mimeType !== "" && isData(data, space))
    return { type, data, mimeType };
  if (type === "resource_link") return toLink(given)[0];
  const resource = type === "resource" ? toContents(given.resource, "resource:", space) : undefined;
  return resource && { type: "resource", resource };
}

function isData(data: unknown, space: Space): data is string {
  return typeof data === "string" && /^[A-Za-z0-9+/]*={0,2}$/.test(data) && space.hasFor(data);
}
