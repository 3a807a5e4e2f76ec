import type { Block } from "./block.ts";

/** What a patch or diff says about one file. */
export type FileSection = AddSection | DeleteSection | UpdateSection;

export interface AddSection {
  readonly kind: "add";
  readonly name: string;
  readonly lines: readonly string[];
  readonly finalLineEnd: boolean;
  readonly mode?: number | undefined;
}

export interface DeleteSection {
  readonly kind: "delete";
  readonly names: readonly string[];
  /** What the file is said to hold; the file is not deleted when it holds something else. */
  readonly lines?: readonly string[] | undefined;
}

export interface UpdateSection {
  readonly kind: "update";
  /** Names of the file, the likelier first: a diff gives an old and a new one. */
  readonly names: readonly string[];
  readonly blocks: readonly Block[];
  readonly moveTo?: string | undefined;
  /** The source stays where it is. */
  readonly isCopy?: boolean;
  readonly mode?: number | undefined;
}
