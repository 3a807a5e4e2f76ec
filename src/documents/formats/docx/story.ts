import type { Budget } from "../../budget.ts";
import type { Block } from "../../shared/blocks.ts";
import type { Package, Relations } from "../../shared/office-package.ts";
import type { Numbering } from "./numbering.ts";
import type { Styles } from "./styles.ts";

/** The state of reading one part of a document: the main text, its footnotes, a header. */
export interface Story {
  readonly opened: Package;
  readonly budget: Budget;
  readonly relations: Relations;
  readonly styles: Styles;
  readonly numbering: Numbering;
  /** Open fields, the innermost last. A field may span paragraphs. */
  readonly fields: Field[];
  /** The notes by key, such as "footnote 2". While notes are read, there are only comments. */
  readonly notes: Notes;
  readonly cited: Block[];
  readonly tally: Tally;
  /** Text of a paragraph whose end was deleted. The next paragraph continues it. */
  joined: string;
}

export type Notes = ReadonlyMap<string, Note>;

export interface Note {
  readonly text: string;
  readonly comments: readonly Block[];
}

export interface Tally {
  insertions: number;
  deletions: number;
  pictures: number;
  hidden: number;
  embedded: number;
  /** Labels of cited notes, by "footnote 2". */
  readonly labels: Map<string, string>;
  /** The number of cited notes of each kind. */
  readonly cited: Map<string, number>;
  /** Header and footer parts, in the order of the sections that use them. */
  readonly margins: Set<string>;
}

export interface Field {
  code: string;
  /** Whether the reader is in the field's result, not in its code. */
  shows: boolean;
  line: Line | undefined;
  start: number;
}

export interface Line {
  text: string;
  /** The content of text boxes and charts that are anchored in the line. It follows the line. */
  readonly boxes: Block[];
}
