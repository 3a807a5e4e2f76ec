import type { Commit } from "../../git/log.ts";
import { printable, printableLine } from "../../lib/printable.ts";
import { showPath } from "../../lib/show-path.ts";

/** A commit in one line: "1a2b3c4 2026-03-01 Ada Lovelace: Add the engine (HEAD -> main)". */
export function describeLine({ hash, date, author, subject, refs }: Commit): string {
  const names = refs.length === 0 ? "" : ` (${refs.join(", ")})`;
  return printableLine(`${hash.slice(0, 9)} ${date.slice(0, 10)} ${author.name}: ${subject}${names}`);
}

/** A commit with its whole message. */
export function describeWhole({ hash, parents, author, date, refs, subject, body }: Commit): string {
  const lines = [
    `commit ${hash}${refs.length === 0 ? "" : ` (${refs.join(", ")})`}`,
    ...(parents.length > 1 ? [`Merge: ${parents.map((parent) => parent.slice(0, 9)).join(" ")}`] : []),
    `Author: ${author.name} <${author.email}>`,
    `Date: ${date}`,
    "",
    ...[subject, ...(body === "" ? [] : ["", ...body.split("\n")])].map((line) => `    ${line}`.trimEnd()),
  ];
  return printable(lines.join("\n"));
}

/** Its files, if they were asked for. */
export function describeFiles({ files = [] }: Commit): readonly string[] {
  return files.map(({ path, additions, deletions }) =>
    additions === undefined
      ? `    ${showPath(path)} binary`
      : `    ${showPath(path)} +${additions} -${deletions}`,
  );
}
