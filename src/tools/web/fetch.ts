import * as z from "zod/mini";
import type { DocumentContent } from "../../contract/document.ts";
import { type ErrorCode, ToolError } from "../../contract/error.ts";
import type { Tool, ToolContext, ToolOutput } from "../../contract/tool.ts";
import { monotonicMs } from "../../lib/clock.ts";
import { showSize } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { type FetchedPage, fetchPage, type UnfollowedRedirect } from "../../web/fetch-page.ts";
import { isNear, parseWebUrl } from "../../web/parse-web-url.ts";
import { describeNext, showDocument } from "../document/show-document.ts";
import { amount, flag, string } from "../fields.ts";
import { failedAnswer, readPage } from "./read-page.ts";

export type WebFetchData = WebPage | WebRedirect | WebPages;

/** Several pages, in the order of their URLs. */
interface WebPages {
  readonly kind: "pages";
  readonly pages: readonly (WebPage | WebRedirect | UnfetchedPage)[];
}

/** The content of a page, without its images, which are in the images of the output. */
export interface WebPage extends Omit<DocumentContent, "images"> {
  readonly kind: "page";
  /** The final URL after redirects. */
  readonly url: string;
  readonly status: number;
  /** The content type that the server declares. */
  readonly mediaType: string | undefined;
  readonly bytes: number;
  /** Whether the page is longer than what was fetched. */
  readonly isCut: boolean;
  readonly redirects: readonly string[];
  /** When the page was fetched or last confirmed (ISO 8601), if it comes from the cache. */
  readonly memory: { readonly kind: "remembered" | "unchanged"; readonly since: string } | undefined;
}

/** A redirect that was not followed, because the call may not connect to its target. */
interface WebRedirect {
  readonly kind: "redirect";
  readonly url: string;
  readonly status: number;
  readonly redirects: readonly string[];
  readonly target: string;
}

const limits = { maxChars: 250_000, keep: "head" } as const;

const input = z.strictObject({
  url: z.string(),
  more_urls: z.optional(z.array(z.string()).check(z.maxLength(19), z.describe("More pages to fetch."))),
  part: string('Read only "page 3", "section 2" or "from 40001".'),
  max_chars: amount(1, 200_000, "Default 40000."),
  raw: flag("Do not convert HTML."),
});

export type WebFetchInput = z.infer<typeof input>;

export const webFetch: Tool<WebFetchInput, WebFetchData> = {
  name: "web.fetch",
  description:
    "Fetch a URL. Returns HTML as Markdown, and text, JSON, documents and images. To find pages use web.search.",
  risk: "network",
  hints: { readOnly: true },
  input,
  limits,
  accesses: (input) => {
    const urls = urlsOf(input).map((url) => parseWebUrl(url));
    return [...Map.groupBy(urls, ({ hostname }) => hostname)].map(([host, ofHost]) => {
      const ports = new Set(ofHost.filter(isNear).map(portOf));
      return { kind: "network", host, port: ports.size === 1 ? [...ports][0] : undefined };
    });
  },

  preview: async (input) =>
    `Would fetch ${urlsOf(input)
      .map((url) => parseWebUrl(url).href)
      .join(", ")}`,

  async run(input, context) {
    const { max_chars: maxChars = 40_000 } = input;
    const urls = urlsOf(input);
    if (urls.length === 1) return fetchOne(input, maxChars, context);
    const each = Math.ceil(maxChars / urls.length);
    return fetchSeveral(urls, (url) => fetchOne({ ...input, url }, each, context), context);
  },
};

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === "https:" ? 443 : 80));
}

function urlsOf({ url, more_urls: others = [] }: WebFetchInput): readonly string[] {
  return [...new Set([url, ...others])];
}

async function fetchOne(
  { url, part, raw = false }: WebFetchInput,
  maxChars: number,
  context: ToolContext,
): Promise<ToolOutput<WebPage | WebRedirect>> {
  const options = { maxBytes, isContinued: part !== undefined };
  const fetched = await fetchPage(parseWebUrl(url), options, {
    ...context,
    progress: progressReporter(context),
  });
  if (fetched.kind === "unfollowed") return showRedirect(fetched);
  const { answer } = fetched;
  if (answer.status < 200 || answer.status > 299) throw await failedAnswer(fetched, context);
  const { images, ...content } = await readPage(fetched, { part, maxChars, raw }, context);
  const { href } = fetched.url;
  const { status, headers, body, isCut } = answer;
  const notes = [...notesOnRoute(fetched), ...content.notes];
  const description = `${content.description}, ${showSize(body.length)}`;
  const text = showDocument(`${href} (${status})`, { ...content, description, notes }, context);
  return {
    data: {
      kind: "page",
      url: href,
      status,
      mediaType: headers["content-type"],
      bytes: body.length,
      isCut,
      redirects: fetched.redirects.map((redirect) => redirect.href),
      memory: fetched.memory && {
        kind: fetched.memory.kind,
        since: new Date(fetched.memory.sinceMs).toISOString(),
      },
      ...content,
    },
    text,
    continuation: content.next === undefined ? undefined : describeNext(content.next, text, limits.maxChars),
    images: images.length === 0 ? undefined : images,
  };
}

const maxBytes = 10_000_000;

function showRedirect(unfollowed: UnfollowedRedirect): ToolOutput<WebRedirect> {
  const { url, status, redirects, target, canBeFetched, reason } = unfollowed;
  const way = redirects.map(({ href }) => href);
  const advice = canBeFetched ? "Fetch that URL in a separate call if you need it." : "It cannot be fetched.";
  return {
    data: { kind: "redirect", url: url.href, status, redirects: way, target },
    text: `${url.href} (${status}) redirects to ${shortened(target)}, ${reason}. ${advice}`,
  };
}

/** Shortens a URL, because a server can send any text. */
function shortened(target: string): string {
  const line = printableLine(target);
  return line.length > 500 ? `${line.slice(0, 500)}…` : line;
}

/** Reports at most once a second, and not for quick fetches. */
function progressReporter({
  progress,
}: ToolContext): (url: URL, bytes: number, total: number | undefined) => void {
  let next = monotonicMs() + 1000;
  return ({ host }, bytes, total) => {
    if (monotonicMs() < next) return;
    next = monotonicMs() + 1000;
    const all = total === undefined ? "" : ` of ${showSize(total)}`;
    progress(`fetching from ${host}: ${showSize(bytes)}${all}`);
  };
}

/** Notes on redirects, caching and truncation. */
function notesOnRoute({ url, redirects, memory, answer }: FetchedPage): readonly string[] {
  const [first] = redirects;
  const way = [...redirects, url];
  const isWeakened = way.some(
    ({ protocol }, index) => protocol === "https:" && way[index + 1]?.protocol === "http:",
  );
  return [
    ...(first === undefined ? [] : [`redirected from ${first.href}`]),
    ...(isWeakened ? ["redirected from https to http: the content could have been altered in transit"] : []),
    ...(memory === undefined ? [] : [describeMemory(memory)]),
    ...(answer.isCut ? [`only the first ${answer.body.length} bytes were fetched`] : []),
  ];
}

function describeMemory({ kind, sinceMs }: NonNullable<FetchedPage["memory"]>): string {
  const time = `${new Date(sinceMs).toISOString().slice(11, 16)} UTC`;
  return kind === "unchanged" ? `unchanged since ${time}` : `as fetched at ${time}`;
}

/** A page that could not be fetched, among other pages that could. */
interface UnfetchedPage {
  readonly kind: "error";
  readonly url: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
}

/** Fetches pages one after the other. A failure takes the position of its page, unless all fail. */
async function fetchSeveral(
  urls: readonly string[],
  fetchOne: (url: string) => Promise<ToolOutput<WebPage | WebRedirect>>,
  { signal }: ToolContext,
): Promise<ToolOutput<WebFetchData>> {
  const outputs: ToolOutput<WebPage | WebRedirect | UnfetchedPage>[] = [];
  let failure: ToolError | undefined;
  for (const url of urls) {
    try {
      outputs.push(await fetchOne(url));
    } catch (error) {
      if (!(error instanceof ToolError) || signal.aborted) throw error;
      failure = error;
      const { code, message, hint } = error;
      outputs.push({ data: { kind: "error", url, code, message, hint }, text: `[${url}: ${message}]` });
    }
  }
  const pages = outputs.map(({ data }) => data);
  if (failure !== undefined && pages.every(({ kind }) => kind === "error")) throw failure;
  const images = outputs.flatMap((output) => output.images ?? []);
  const isCut = pages.some((page) => page.kind === "page" && page.next !== undefined);
  return {
    data: { kind: "pages", pages },
    text: outputs.map(({ text }) => text).join("\n\n"),
    continuation: isCut ? "The pages are shortened: fetch one alone to read more." : undefined,
    images: images.length === 0 ? undefined : images,
  };
}
