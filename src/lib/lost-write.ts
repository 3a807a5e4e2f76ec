import { quotePathForRule } from "./text/rule-text.ts";

const meaning = " was not written: it was created in the private home of commands, which is deleted. ";

/**
 * The remark about a path that a command created in its private home, and not in the user's. Commands see an entry of the
 * home once it exists, if a rule or the command names it.
 */
export function lostWrite(path: string, isNamed: boolean): string {
  return (
    path +
    meaning +
    (isNamed
      ? "Create it outside first, then run the command again."
      : `Write to the workspace, or create it outside and add the rule \`allow write ${quotePathForRule(path)}\`.`)
  );
}

export function isLostWrite(remark: string): boolean {
  return remark.includes(meaning);
}
