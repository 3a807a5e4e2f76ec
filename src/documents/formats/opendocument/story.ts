import type { Budget } from "../../budget.ts";
import type { Block } from "../office/blocks.ts";
import type { Package } from "../office/open-package.ts";
import type { ListCounter, ListStyle } from "./lists.ts";

/** What is known while an OpenDocument file is read. */
export interface Story {
  readonly opened: Package;
  readonly budget: Budget;
  readonly listStyles: ReadonlyMap<string, ListStyle>;
  /** The list that each style of paragraphs belongs to. */
  readonly listOfStyle: ReadonlyMap<string, string>;
  /** Styles of paragraphs whose layout is kept. */
  readonly preformatted: ReadonlySet<string>;
  /** Styles of what the whole document is called. */
  readonly titles: ReadonlySet<string>;
  readonly outline: ListStyle | undefined;
  readonly headings: ListCounter;
  /** Counters of lists that may be continued, by their names and by their styles. */
  readonly lists: Map<string, ListCounter>;
  /** Notes and comments that were cited since the last block. */
  readonly cited: Block[];
  readonly tally: Tally;
}

/** What the whole document has, for the notes of the answer. */
interface Tally {
  changes: number;
  pictures: number;
  hidden: number;
  embedded: number;
  /** Rows and columns that are only declared. */
  repeated: number;
  /** How many notes there are of each kind. */
  readonly cited: Map<string, number>;
}

/** A paragraph as far as it is read. */
export interface Line {
  text: string;
  /** Of frames that are anchored in it: they follow it. */
  readonly boxes: Block[];
}
