import type { TierName } from "./match/tiers.ts";

/** The three ways to ask for a change. */
export type EditRequest = ReplaceRequest | PatchRequest | DiffRequest;

/** Text for text in one file. All edits apply to the file as it is before, together or not at all. */
export interface ReplaceRequest {
  readonly kind: "replace";
  readonly path: string;
  readonly edits: readonly ReplaceEdit[];
}

export interface ReplaceEdit {
  /** Empty only for a file that is empty or not there yet. */
  readonly find: string;
  readonly replace: string;
  /** Change every place, not just the only one. */
  readonly all?: boolean | undefined;
  /** Change the first of several places, and tell how many there are. */
  readonly first?: boolean | undefined;
  /** How many places there have to be; more than one implies `all`. */
  readonly expectCount?: number | undefined;
  /** Nothing is overlooked in finding, blanks and line ends included, and the new text is put there as it is. */
  readonly exact?: boolean | undefined;
}

/** `*** Begin Patch` and so on, any number of files. */
export interface PatchRequest {
  readonly kind: "patch";
  readonly patch: string;
}

/** A unified diff, from git or plain. */
export interface DiffRequest {
  readonly kind: "diff";
  readonly diff: string;
  /** The one file that it changes, whatever it calls it. */
  readonly path?: string | undefined;
}

/** What is to happen to one file. */
export type FilePlan = {
  readonly path: string;
  readonly changes: readonly Change[];
  /** Of an edit of the first place: how many there were. */
  readonly occurrences?: number | undefined;
  /** What was overlooked or taken off to find the places; for the answer. */
  readonly notes: readonly string[];
  /** The mode the request names. */
  readonly mode?: number | undefined;
} & (
  | { readonly action: "add"; readonly after: Uint8Array }
  | { readonly action: "update"; readonly before: Uint8Array; readonly after: Uint8Array }
  | { readonly action: "delete"; readonly before: Uint8Array }
  | {
      /** A copy leaves the file it comes from as it is. */
      readonly action: "move" | "copy";
      readonly from: string;
      readonly before: Uint8Array;
      readonly after: Uint8Array;
    }
);

/** Lines that give way to others, in the order of the file. */
export interface Change {
  /** The first line of it in the file before, counted from 1. */
  readonly firstLine: number;
  readonly removedLines: number;
  readonly addedLines: number;
  readonly tier: TierName;
}

/** Returns the bytes of a file, undefined when it does not exist. */
export type ReadFile = (path: string) => Uint8Array | undefined;
