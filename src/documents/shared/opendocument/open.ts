import type { DocumentSource } from "../../../contract/document.ts";
import type { Budget } from "../../budget.ts";
import { encrypted, type ReadingContext } from "../../reader.ts";
import type { Block } from "../blocks.ts";
import { openPackage, type Package } from "../office-package.ts";
import { ListCounter, noStyles, type OpenDocumentStyles, readStyles } from "./styles.ts";

/** The archive of an OpenDocument file; one with a password is refused, because only its list of parts can be read. */
export function openOpenDocument(source: DocumentSource, context: ReadingContext): Package {
  const opened = openPackage(source, context);
  const manifest = opened.open("META-INF/manifest.xml");
  if (manifest?.child(0) && manifest.mentions("encryption-data"))
    throw encrypted(source.name, "Save it without a password in the program that made it");
  return opened;
}

/** Begins to read a file, with the styles that all its parts share; those of its content are added when they are met. */
export function openStory(
  opened: Package,
  { budget }: ReadingContext,
): { story: Story; styles: OpenDocumentStyles } {
  const styles = noStyles();
  const reader = opened.open("styles.xml");
  if (reader?.child(0)) {
    const { depth } = reader;
    while (reader.child(depth))
      if (reader.name === "office:styles" || reader.name === "office:automatic-styles")
        readStyles(reader, styles);
  }
  const story: Story = {
    opened,
    budget,
    ...styles,
    headings: new ListCounter(),
    lists: new Map(),
    cited: [],
    tally: { changes: 0, pictures: 0, hidden: 0, embedded: 0, repeated: 0, cited: new Map() },
  };
  return { story, styles };
}

export interface Story extends Readonly<OpenDocumentStyles> {
  readonly opened: Package;
  readonly budget: Budget;
  readonly headings: ListCounter;
  /** Counters of lists that may be continued, by their names and by their styles. */
  readonly lists: Map<string, ListCounter>;
  /** Notes and comments that were cited since the last block. */
  readonly cited: Block[];
  readonly tally: Tally;
}

interface Tally {
  changes: number;
  pictures: number;
  hidden: number;
  embedded: number;
  /** Rows and columns that are only declared. */
  repeated: number;
  readonly cited: Map<string, number>;
}

export interface Line {
  text: string;
  /** Of frames that are anchored in it: they follow it. */
  readonly boxes: Block[];
}
