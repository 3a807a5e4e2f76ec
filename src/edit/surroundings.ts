/**
 * Whether a line is the tag that ends a here-document of the shell, begun above with `<<TAG`. Lines of a hunk, which
 * begin with a blank or a sign, neither begin nor end one.
 */
export function isHereDocumentEnd(lines: readonly string[], at: number): boolean {
  const tag = lines[at]!.replace(/^\t+/, "").trimEnd();
  if (!/^\w[\w-]*$/.test(tag)) return false;
  return lines.slice(0, at).some((line) => /^(?![ +-]).*?<<-?\s*(["']?)([\w-]+)\1/.exec(line)?.[2] === tag);
}

/** Whether a line outside of a patch may have been meant for it: no point of a list, no rule, no signature. */
export function looksLikeHunk(line: string): boolean {
  return /^(?:@@|[+-](?! [\p{L}\p{N}"'`*_[(]|-*\s*$))/u.test(line);
}
