import type { PatchQuestion } from "./patch-questions.ts";
import { isSource } from "./questions.ts";

/**
 * Makes questions from a release: from its new changelog entries and its changed files. Uses only releases with few
 * changes, whose files clearly belong to the entries.
 */
export function changelogQuestions(
  before: ReadonlyMap<string, Buffer>,
  after: ReadonlyMap<string, Buffer>,
): PatchQuestion[] {
  const name = [...after.keys()].find((path) => /^(?:changelog|history)(?:\.md)?$/i.test(path));
  if (!name) return [];
  const known = new Set(linesOf(before.get(name)));
  const lines = linesOf(after.get(name)).filter((line) => !known.has(line));
  const entries = lines
    .filter((line) => /^\s*[-*] /.test(line))
    .map(cleaned)
    .filter(isTelling);
  const files = [...after].flatMap(([path, content]) => {
    const old = before.get(path);
    return old && isSource(path) && !isBuilt.test(path) && !old.equals(content) ? [path] : [];
  });
  const changed = files.filter((path) => !/(?:^|\/)(?:version|errors\/version)\.[cm]?[jt]s$/.test(path));
  if (entries.length !== 1 || changed.length === 0 || changed.length > 6) return [];
  return [{ text: entries[0]!, files: changed }];
}

/** Files generated from others in the package. */
export const isBuilt: RegExp =
  /(?:^|\/)(?:dist|_cjs|_esm|_types|cjs|esm|build|bin|es|types)\/|\.d\.[cm]?ts$|\.min\.js$/;

function linesOf(content: Buffer | undefined): string[] {
  return content === undefined ? [] : content.toString("utf8").split("\n");
}

/** Removes the links, people and numbers that tools add. */
function cleaned(line: string): string {
  return line
    .replace(/^\s*[-*] /, "")
    .replace(/^(?:\[[^\]]*\]\([^)]*\)\s*)+(?:Thanks .*?! - )?/, "")
    .replace(/^[0-9a-f]{7,12}: /, "")
    .replaceAll(/\(?\[[^\]]*\]\(https?:[^)]*\)\)?/g, "")
    .replaceAll(/\(#\d+\)|@[\w-]+/g, "")
    .replaceAll(/[*_]{2}/g, "")
    .trim();
}

function isTelling(entry: string): boolean {
  const words = entry.match(/[A-Za-z]{3,}/g) ?? [];
  return (
    words.length >= 3 && !/^Updated dependencies|\bdependenc|\bbump(?:ed)?\b|\bdocs?\b|readme/i.test(entry)
  );
}
