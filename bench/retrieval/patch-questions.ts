import { isSource } from "./questions.ts";

export interface PatchQuestion {
  readonly text: string;
  readonly files: readonly string[];
}

/**
 * Makes a question from a commit of the authors; undefined for a patch by others, or one that gives no good question.
 */
export function patchQuestion(patch: string): PatchQuestion | undefined {
  const headEnd = patch.indexOf("\n--- ");
  const head = headEnd === -1 ? "" : patch.slice(0, headEnd);
  if (!fromAuthors.test(head)) return undefined;
  const subject = /^(?:Subject|Description):[ \t]*(.*(?:\n[ \t]+[a-z(].*)?)/m.exec(head)?.[1];
  const text = (subject ?? "")
    .replaceAll(/\s+/g, " ")
    .replace(/^(?:\[[^\]]*\]\s*)+/, "")
    .trim();
  const words = (text.match(/[A-Za-z]{3,}/g) ?? []).filter(
    (word) => !/^(?:https?|CVE|GHSA|PATCH)$/i.test(word),
  );
  const files = [...new Set(changedFiles(patch).filter(isSource))];
  if (words.length < 3 || /https?:\/\//.test(text) || files.length === 0 || files.length > 4)
    return undefined;
  return { text, files };
}

const fromAuthors =
  /^(?:Origin:.*(?:upstream|backport|commit)|\(cherry picked from|commit [0-9a-f]{40} upstream|From [0-9a-f]{40}|Applied-Upstream|\[ Upstream)/im;

/** Files that existed before and after. */
function changedFiles(patch: string): string[] {
  const pairs = patch.matchAll(/^--- (?:a\/|[^/\s]+\/)?(\S+).*\n\+\+\+ (?:b\/|[^/\s]+\/)?(\S+)/gm);
  return [...pairs].flatMap(([, before, after]) => (/^(?:\/?dev\/null|null)$/.test(before!) ? [] : [after!]));
}
