import type { ConversationEntry } from "../../../contract/conversations.ts";
import { redactValue } from "../../../toolcrib/workspace-journal.ts";
import { toHtml } from "./to-html.ts";
import { toMarkdown } from "./to-markdown.ts";
import { toTranscript } from "./transcript.ts";

export const exportFormats = ["jsonl", "markdown", "html"] as const;

export type ExportFormat = (typeof exportFormats)[number];

export interface ExportOptions {
  /** Whether text that looks like a key or a password is kept. Default: false, it is redacted. */
  readonly withSecrets?: boolean | undefined;
}

/**
 * Exports a session: `jsonl` has everything, one entry per line; `markdown` and `html` are for reading. Nothing in the
 * session can break out of its element, and the HTML has no scripts and loads nothing.
 */
export function exportSession(
  session: string,
  entries: readonly ConversationEntry[],
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

export function withoutSecrets(entries: readonly ConversationEntry[]): readonly ConversationEntry[] {
  return entries.map((kept) => ({ ...kept, entry: redactValue(kept.entry) }));
}
