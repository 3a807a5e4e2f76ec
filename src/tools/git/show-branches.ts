import type { Branch } from "../../git/branches.ts";
import { printableLine } from "../../lib/printable.ts";

export interface BranchList {
  /** Null when HEAD is detached. */
  readonly current: string | null;
  readonly branches: readonly Branch[];
  /** There are more than these. */
  readonly isCut: boolean;
}

/** A line for each branch: "* main 1a2b3c4 2026-01-31 [origin/main: ahead 1, behind 0] Subject". */
export function showBranches({ current, branches, isCut }: BranchList): string {
  const isUnborn = current !== null && !isCut && !branches.some(({ isCurrent }) => isCurrent);
  return [
    ...(current === null ? ["HEAD is detached: no branch is current."] : []),
    ...(isUnborn ? [`* ${current} (no commits yet)`] : []),
    ...branches.map(showBranch),
    ...(isCut ? [`More than ${branches.length}: \`git branch --list\` in shell.run shows all.`] : []),
  ].join("\n");
}

function showBranch({ name, isCurrent, commit, subject, date, upstream, ahead, behind }: Branch): string {
  const distance = ahead === null ? "gone" : `ahead ${ahead}, behind ${behind}`;
  const tracked = upstream === null ? "" : ` [${upstream}: ${distance}]`;
  return printableLine(
    `${isCurrent ? "*" : " "} ${name} ${commit} ${date.slice(0, 10)}${tracked} ${subject}`,
  );
}
