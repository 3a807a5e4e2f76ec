import type { ErrorCode } from "../contract/error.ts";

/** What each exit code means, as help prints it. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [0, "it worked"],
  [1, "it failed"],
  [2, "the command line or the tool's arguments are wrong"],
  [3, "refused: denied, or outside the workspace"],
  [4, "a person would have to approve it (see --mode)"],
  [5, "it took too long"],
  [130, "interrupted"],
];

/** The exit code for how a call ended; none of these errors means that it worked. */
export function exitCodeOf(code: ErrorCode | undefined): number {
  if (code === undefined) return 0;
  return ownCodes[code] ?? 1;
}

/** The same for what a command throws, which is about the command line: what it names and is not there is wrong there, too. */
export function exitCodeOfTrouble(code: ErrorCode): number {
  return code === "not-found" ? 2 : exitCodeOf(code);
}

const ownCodes: { readonly [Code in ErrorCode]?: number } = {
  "invalid-input": 2,
  denied: 3,
  "outside-workspace": 3,
  "needs-approval": 4,
  timeout: 5,
  cancelled: 130,
};
