import { type ErrorCode, ToolError } from "../../contract/error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import type { FetchedPage } from "../../web/fetch-page.ts";
import { whenToRetry } from "../../web/headers.ts";
import { readPage } from "./read-page.ts";

/** An answer that is no page: why, what to do, and the beginning of what the server says. */
export async function failedAnswer(
  page: FetchedPage,
  context: Pick<ToolContext, "documents" | "signal" | "progress">,
): Promise<ToolError> {
  const { url, answer } = page;
  const { status, headers } = answer;
  const { code, what, hint } = meaningOf(status, headers["retry-after"]);
  const body = await beginningOf(page, context);
  return new ToolError(code, `${url.href} answered ${status}: ${what}`, {
    hint,
    ...(body !== "" && { output: body }),
  });
}

interface Meaning {
  readonly code: ErrorCode;
  readonly what: string;
  readonly hint: string;
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
  what: "there is no such page",
  hint: "Check the URL, look for it with web.search, or fetch a page that links to it.",
};
const closed: Meaning = {
  code: "denied",
  what: "the server does not show this page to us",
  hint: "No credentials are ever sent: look for a public address of it, or ask the person.",
};
const busy: Meaning = { code: "unavailable", what: "too many requests", hint: "Try again in a while." };
const broken: Meaning = {
  code: "unavailable",
  what: "the server has a fault",
  hint: "Try again later, or another address.",
};
const strange: Meaning = {
  code: "unavailable",
  what: "this is no page",
  hint: "Try another address.",
};
const wrong: Meaning = {
  code: "invalid-input",
  what: "the server does not accept this request",
  hint: "Check the URL and what stands behind its question mark.",
};

/** By status, else by its first digit. */
const meanings: Readonly<Record<number, Meaning>> = {
  4: wrong,
  5: broken,
  401: closed,
  403: closed,
  404: gone,
  407: closed,
  408: { ...broken, what: "it took the server too long" },
  410: gone,
  425: busy,
  429: busy,
  451: closed,
  504: { ...broken, what: "it took the server too long" },
};

const maxChars = 1500;

/** What cannot be read says nothing. */
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
