import type { SeenPart } from "../contract/tool.ts";
import type { TierName } from "./match/tiers.ts";

export type EditRequest = ReplaceRequest | PatchRequest | DiffRequest | AnchoredRequest;

/** Replaces texts in one file. All edits apply to the original content, together or not at all. */
export interface ReplaceRequest {
  readonly kind: "replace";
  readonly path: string;
  readonly edits: readonly ReplaceEdit[];
}

export interface ReplaceEdit {
  /** May be empty only for a file that is empty or does not exist. */
  readonly find: string;
  readonly replace: string;
  /** Replace every occurrence. */
  readonly all?: boolean | undefined;
  /** Replace the first of several occurrences, and report their number. */
  readonly first?: boolean | undefined;
  /** The required number of occurrences. More than one implies `all`. */
  readonly expectCount?: number | undefined;
  /** Match byte for byte, including blanks and line ends, and insert the new text unchanged. */
  readonly exact?: boolean | undefined;
}

/** A patch of the form `*** Begin Patch …`, for any number of files. */
export interface PatchRequest {
  readonly kind: "patch";
  readonly patch: string;
}

/** A unified diff, from git or plain. */
export interface DiffRequest {
  readonly kind: "diff";
  readonly diff: string;
  /** The only file to change, regardless of the names in the diff. */
  readonly path?: string | undefined;
}

/** Changes whole lines of one file, which are named by anchors. All edits apply to the original content. */
export interface AnchoredRequest {
  readonly kind: "anchored";
  readonly path: string;
  readonly edits: readonly AnchoredEdit[];
  /** The parts of the file that the caller has seen. */
  readonly seen?: readonly SeenPart[] | undefined;
  /** Whether the caller knows the whole content, because it gave its hash. */
  readonly isKnown?: boolean | undefined;
}

export interface AnchoredEdit {
  readonly op: "replace" | "delete" | "insert_before" | "insert_after";
  /** The anchor of the first line. */
  readonly from: string;
  /** The anchor of the last line. Default: `from`. */
  readonly to?: string | undefined;
  /** New lines; a line end at the end is optional. Not for `delete`. */
  readonly text?: string | undefined;
}

export type FilePlan = {
  readonly path: string;
  readonly changes: readonly Change[];
  /** The number of occurrences, if the edit replaces only the first. */
  readonly occurrences?: number | undefined;
  /** Notices for the output: tolerated differences and a guessed encoding. */
  readonly notes: readonly string[];
  readonly mode?: number | undefined;
} & (
  | { readonly action: "add"; readonly after: Uint8Array }
  | { readonly action: "update"; readonly before: Uint8Array; readonly after: Uint8Array }
  | { readonly action: "delete"; readonly before: Uint8Array }
  | {
      readonly action: "move" | "copy";
      readonly from: string;
      readonly before: Uint8Array;
      readonly after: Uint8Array;
    }
);

export interface Change {
  /** The first line in the old content, counted from 1. */
  readonly firstLine: number;
  readonly removedLines: number;
  readonly addedLines: number;
  readonly tier: TierName;
}

/** Returns the bytes of a file; undefined when it does not exist. */
export type ReadFile = (path: string) => Uint8Array | undefined;
