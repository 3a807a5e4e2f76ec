import { type ErrorCode, ToolError } from "../../contract/error.ts";
import type { ToolContext, ToolOutput } from "../../contract/tool.ts";
import type { WebFetchData, WebPage, WebRedirect } from "./fetch.ts";

/** A page that could not be fetched beside others that could. */
export interface UnfetchedPage {
  readonly kind: "error";
  readonly url: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
}

/** Fetches one after the other; a failure stands in the place of its page, unless all fail. */
export async function fetchSeveral(
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
  const goOn = pages.some((page) => page.kind === "page" && page.next !== undefined);
  return {
    data: { kind: "pages", pages },
    text: outputs.map(({ text }) => text).join("\n\n"),
    ...(goOn ? { continuation: "Not all of each page is shown: fetch one by itself to read on." } : {}),
    ...(images.length === 0 ? {} : { images }),
  };
}
