import type { Lab } from "./lab.ts";

/** Something that a command must not be able to do, and how to find out whether it can. */
export interface Attack {
  /** What holds while it fails, as a sentence without a full stop. */
  readonly promise: string;
  /** A script for bash that starts in the workspace; what it prints is its loot. */
  readonly script: (lab: Lab) => string;
  /** Judged from outside, by what there is now. */
  readonly hasSucceeded: (lab: Lab, loot: string) => boolean | Promise<boolean>;
  /** The sentence with which a level says that it does not promise this. */
  readonly gap?: string;
  /** It is promised where there is no sandbox, too. */
  readonly isAlwaysPromised?: true;
  /** What the script cannot do without. */
  readonly needs?: "perl";
}
