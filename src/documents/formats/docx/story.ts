import type { Budget } from "../../budget.ts";
import type { Block } from "../../shared/blocks.ts";
import type { Package, Relations } from "../../shared/office-package.ts";
import type { Numbering } from "./numbering.ts";
import type { Styles } from "./styles.ts";

/** What is known while a document is read. A story is one part of it: the text itself, its footnotes, a header. */
export interface Story {
  readonly opened: Package;
  readonly budget: Budget;
  readonly relations: Relations;
  readonly styles: Styles;
  readonly numbering: Numbering;
  /** Fields that have begun and not ended, the innermost last. They may go over paragraphs. */
  readonly fields: Field[];
  /** Footnotes, endnotes and comments by "footnote 2"; where notes are read themselves only comments, which have none. */
  readonly notes: Notes;
  readonly cited: Block[];
  readonly tally: Tally;
  /** Text of a paragraph whose end was deleted: the next one goes on with it. */
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
  /** Labels of the notes and comments that were cited, by their names. */
  readonly labels: Map<string, string>;
  /** How many there are of each kind. */
  readonly cited: Map<string, number>;
  /** Names of header and footer parts, in the order of the sections that show them. */
  readonly margins: Set<string>;
}

export interface Field {
  code: string;
  /** In what the field shows, no longer in its code. */
  shows: boolean;
  line: Line | undefined;
  start: number;
}

export interface Line {
  text: string;
  /** Of text boxes and charts that are anchored in it: they follow it. */
  readonly boxes: Block[];
}
