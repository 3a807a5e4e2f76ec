import type { KeptEntry } from "../../../contract/conversations.ts";
import { leaveOutSecrets } from "../../../toolcrib/leave-out-secrets.ts";
import { toHtml } from "./to-html.ts";
import { toMarkdown } from "./to-markdown.ts";
import { toTranscript } from "./transcript.ts";

export const exportFormats = ["jsonl", "markdown", "html"] as const;

export type ExportFormat = (typeof exportFormats)[number];

export interface ExportOptions {
  /** Leaves in what looks like a key or a password; it is left out, if not said. */
  readonly withSecrets?: boolean | undefined;
}

/**
 * A session as a document: `jsonl` has all of it, an entry a line; `markdown` and `html` are for people. Nothing in the session can
 * break out of its place in the document, and the HTML has no script and needs no other file.
 */
export function exportSession(
  session: string,
  entries: readonly KeptEntry[],
  format: ExportFormat,
  { withSecrets = false }: ExportOptions = {},
): string {
  const shown = withSecrets ? entries : withoutSecrets(entries);
  switch (format) {
    case "jsonl":
      return shown.map((entry) => `${JSON.stringify({ session, ...entry })}\n`).join("");
    case "markdown":
      return toMarkdown(toTranscript(session, shown));
    case "html":
      return toHtml(toTranscript(session, shown));
  }
}

export function withoutSecrets(entries: readonly KeptEntry[]): readonly KeptEntry[] {
  return entries.map((kept) => ({ ...kept, entry: leaveOutSecrets(kept.entry) }));
}
