import type { FetchedPage } from "../../web/fetch-page.ts";

/** What a reader should know of how a page came here. */
export function wayNotes({ url, redirects, memory, answer }: FetchedPage): readonly string[] {
  const [first] = redirects;
  const way = [...redirects, url];
  const isWeakened = way.some(
    ({ protocol }, index) => protocol === "https:" && way[index + 1]?.protocol === "http:",
  );
  return [
    ...(first === undefined ? [] : [`redirected from ${first.href}`]),
    ...(isWeakened ? ["redirected from https to http: others could have changed it on the way"] : []),
    ...(memory === undefined ? [] : [describeMemory(memory)]),
    ...(answer.isCut ? [`only the first ${answer.body.length} bytes were fetched`] : []),
  ];
}

function describeMemory({ kind, sinceMs }: NonNullable<FetchedPage["memory"]>): string {
  const time = `${new Date(sinceMs).toISOString().slice(11, 16)} UTC`;
  return kind === "unchanged" ? `unchanged since ${time}` : `as fetched at ${time}`;
}
