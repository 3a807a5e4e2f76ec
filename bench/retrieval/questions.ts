/** A question, and what a good answer shows. */
export interface Question {
  readonly repository: string;
  readonly side: Side;
  /** Its source: the subject of a commit, a line of a changelog, or the comment of a function. */
  readonly from: "commit" | "changelog" | "comment";
  readonly text: string;
  /** Each of these is right. */
  readonly files: readonly string[];
  /** The lines in the only file, for the comment of a function. */
  readonly block?: { readonly firstLine: number; readonly lastLine: number } | undefined;
}

/** Parameters are tuned on one half of the repositories and evaluated on the other. */
export type Side = "tuning" | "held-out";

/** Whether a file can be the answer. Other files change along with it. */
export function isSource(path: string): boolean {
  return sourceName.test(path) && !besideSource.test(path);
}

const sourceName =
  /\.(?:c|h|cc|cpp|cxx|hpp|hh|py|go|rs|java|[cm]?js|[cm]?ts|tsx|jsx|rb|php|inc|pl|pm|scala|kt|swift|cs|lua|ex|exs|erl|hs|ml|vala|el|qml)$/;
const besideSource =
  /(?:^|\/)(?:tests?|testing|testsuite|t|specs?|__tests__|testdata|fixtures|examples?|docs?|po)\/|(?:^|[/_.-])tests?[_.-][^/]*$|[_.-](?:test|spec)s?\.\w+$|(?:^|\/)test[^/]*$|Tests?\.(?:java|cs|kt)$|selftest/i;
