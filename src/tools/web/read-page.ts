import type { DocumentContent } from "../../contract/document.ts";
import { errorWith, ToolError } from "../../contract/error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { wholeText } from "../../documents/anchors.ts";
import { detachedCopy } from "../../lib/bytes/bytes.ts";
import { sniffMediaType } from "../../lib/bytes/media-type.ts";
import { prettyJson } from "../../lib/json/pretty-json.ts";
import { decodePage } from "../../lib/text/decode-page.ts";
import { encodingOf } from "../../lib/text/encoding.ts";
import { showSize } from "../../lib/text/format-quantity.ts";
import type { Meaning } from "../../web/engines/ask-engine.ts";
import type { FetchedPage } from "../../web/fetch-page.ts";
import { whenToRetry } from "../../web/headers.ts";

interface PageWanted {
  readonly part?: string | undefined;
  readonly maxChars: number;
  readonly raw: boolean;
}

/** Returns the content of a page: text in its character set, JSON by lines, everything else by the document readers. */
export async function readPage(
  { url, answer }: FetchedPage,
  wanted: PageWanted,
  context: Pick<ToolContext, "documents" | "signal" | "progress">,
): Promise<DocumentContent> {
  const { body, headers, isCut } = answer;
  const mediaType = headers["content-type"];
  const name = url.href;
  const kind = kindOfBody(body, mediaType);
  if (kind === "document" || (kind === "page" && !wanted.raw)) {
    if (isCut && kind === "document") throw tooLarge(name, body.length);
    return readDocument(name, answer, wanted, context);
  }
  const { text } = decodePage(body, mediaType);
  // Longer JSON is not formatted, because it is not shown whole.
  const pretty =
    kind === "json" && !wanted.raw && text.length <= maxPrettyChars ? prettyJson(text) : undefined;
  const { parts, next } = wholeText(pretty ?? text, wanted, name);
  return {
    format: kind,
    description: essenceOf(mediaType) ?? "text",
    properties: {},
    consistsOf: undefined,
    parts: parts.map((part) => ({ ...part, text: detachedCopy(part.text) })),
    next,
    notes: body.length === 0 ? ["the page is empty"] : [],
    images: [],
  };
}

const maxPrettyChars = 400_000;

/** Returns how to read a body. "page" is HTML; "document" is for the document readers. */
function kindOfBody(body: Uint8Array, mediaType: string | undefined): "page" | "json" | "text" | "document" {
  const type = essenceOf(mediaType);
  if (body.length === 0) return "text";
  if (sniffMediaType(body.subarray(0, 8192)) !== undefined) return "document";
  if (type === "text/html" || type === "application/xhtml+xml") return "page";
  if (type !== undefined && /^application\/(?:json|.*\+json)$|^text\/json$/.test(type))
    return type === "application/x-ipynb+json" ? "document" : "json";
  // Servers declare unknown content as text, so the bytes decide too.
  if (type === undefined || !isText.test(type) || encodingOf(body) === "binary") return "document";
  return "text";
}

const isText =
  /^text\/(?!rtf$)|^application\/(?:(?:.*\+)?xml|(?:x-)?(?:java|ecma)script|(?:x-)?(?:yaml|toml|ndjson|jsonl|sh)|graphql|sql|typescript)$|^image\/svg\+xml$/;

function essenceOf(mediaType: string | undefined): string | undefined {
  const essence = mediaType
    ?.replace(/[;,].*/s, "")
    .trim()
    .toLowerCase();
  const isKnown =
    essence !== undefined && mediaTypeForm.test(essence) && essence !== "application/octet-stream";
  return isKnown ? essence : undefined;
}

/** A media type must have this form to be shown, because a server can send any text. */
const mediaTypeForm = /^[a-z0-9!#$&^_.+-]{1,40}\/[a-z0-9!#$&^_.+-]{1,100}$/;

async function readDocument(
  name: string,
  { body, headers }: FetchedPage["answer"],
  { part, maxChars }: PageWanted,
  { documents, signal, progress }: Pick<ToolContext, "documents" | "signal" | "progress">,
): Promise<DocumentContent> {
  try {
    return await documents.read(
      { name, bytes: body, mediaType: headers["content-type"] },
      { part, maxChars },
      { signal, progress },
    );
  } catch (error) {
    if (!(error instanceof ToolError && error.code === "unsupported")) throw error;
    throw errorWith(error, {
      hint: "Download it with a command (shell.run): curl -fLO URL",
      forUser: { hint: "Download it: curl -fLO URL" },
    });
  }
}

function tooLarge(name: string, bytes: number): ToolError {
  return new ToolError(
    "too-large",
    `${name} is larger than ${showSize(bytes)}, and it cannot be read in parts`,
    {
      hint: "Fetch it with a command (shell.run: curl -fLO URL), then read it with document.read.",
      forUser: { hint: "Download it: curl -fLO URL" },
    },
  );
}

/** Returns the error for a failed response, with the reason, a hint and the beginning of the server's text. */
export async function failedAnswer(
  page: FetchedPage,
  context: Pick<ToolContext, "documents" | "signal" | "progress">,
): Promise<ToolError> {
  const { url, answer } = page;
  const { status, headers } = answer;
  const { code, what, hint } = meaningOf(status, headers["retry-after"]);
  const body = await beginningOf(page, context);
  return new ToolError(code, `${url.href} answered ${status}: ${what}`, { hint, output: body || undefined });
}

function meaningOf(status: number, retryAfter: string | undefined): Meaning {
  const known = meanings[status] ?? meanings[Math.floor(status / 100)] ?? strange;
  const when = whenToRetry(retryAfter);
  return when === undefined || known.code !== "unavailable"
    ? known
    : { ...known, hint: `Try again ${when}.` };
}

const gone: Meaning = {
  code: "not-found",
  what: "the page does not exist",
  hint: "Check the URL, look for it with web.search, or fetch a page that links to it.",
};
const closed: Meaning = {
  code: "denied",
  what: "the server denies access to this page",
  hint: "Find a public URL of the page: credentials are never sent.",
};
const busy: Meaning = { code: "unavailable", what: "too many requests", hint: "Try again in a while." };
const broken: Meaning = {
  code: "unavailable",
  what: "the server has an internal error",
  hint: "Try again later, or another address.",
};
const strange: Meaning = {
  code: "unavailable",
  what: "the response is not a page",
  hint: "Try another address.",
};
const wrong: Meaning = {
  code: "invalid-input",
  what: "the server does not accept this request",
  hint: "Check the URL and its query string.",
};

/** The meanings by status, or by its first digit. */
const meanings: Readonly<Record<number, Meaning>> = {
  4: wrong,
  5: broken,
  401: closed,
  403: closed,
  404: gone,
  407: closed,
  408: { ...broken, what: "the server timed out" },
  410: gone,
  425: busy,
  429: busy,
  451: closed,
  504: { ...broken, what: "the server timed out" },
};

const maxChars = 1500;

async function beginningOf(
  page: FetchedPage,
  context: Pick<ToolContext, "documents" | "signal" | "progress">,
): Promise<string> {
  try {
    const { parts } = await readPage(page, { maxChars, raw: false }, context);
    return parts
      .map(({ text }) => text)
      .join("\n")
      .trim()
      .slice(0, maxChars);
  } catch (error) {
    if (!(error instanceof ToolError) || context.signal.aborted) throw error;
    return "";
  }
}
